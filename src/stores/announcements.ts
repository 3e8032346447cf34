/** What the processes of one machine tell each other: by their supervisor, or nobody where there is one process. */
import type { Announcements } from './ports.ts';

type Call = (message: string) => void;

/** One process, which hears itself. */
export class OwnAnnouncements implements Announcements {
  readonly #calls: Call[] = [];

  async tell(message: string): Promise<void> {
    for (const call of this.#calls) call(message);
  }

  async hear(call: Call): Promise<void> {
    this.#calls.push(call);
  }
}

/** The way between a worker and its supervisor, as `process` has it. */
export interface Channel {
  send(message: unknown): unknown;
  on(event: 'message', call: (message: unknown) => void): unknown;
}

/** As it goes over the channel, in both directions. */
export interface Announced {
  announced: string;
}

export const isAnnounced = (message: unknown): message is Announced =>
  typeof (message as Partial<Announced> | null)?.announced === 'string';

/** Several processes of one supervisor, which passes on to all what one of them says. */
export class WorkerAnnouncements implements Announcements {
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  async tell(message: string): Promise<void> {
    this.#channel.send({ announced: message } satisfies Announced);
  }

  async hear(call: Call): Promise<void> {
    this.#channel.on('message', message => {
      if (isAnnounced(message)) call(message.announced);
    });
  }
}
