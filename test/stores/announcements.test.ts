import { EventEmitter } from 'node:events';
import { type Channel, OwnAnnouncements, WorkerAnnouncements } from '../../src/stores/announcements.ts';
import { passOn } from '../../src/supervise.ts';
import { announcementsContract } from '../contract/announcements.ts';

announcementsContract('one process', async () => {
  const own = new OwnAnnouncements();
  return { one: own, other: own, close: async () => {} };
});

/** A worker's end of the channel, and its supervisor's. */
function channel(toSupervisor: (message: unknown) => void): {
  worker: Channel;
  child: Pick<Channel, 'send'>;
} {
  const events = new EventEmitter();
  const copied = (message: unknown) => JSON.parse(JSON.stringify(message));
  return {
    worker: {
      send: message => toSupervisor(copied(message)),
      on: (event, call) => events.on(event, call),
    },
    child: { send: message => setImmediate(() => events.emit('message', copied(message))) },
  };
}

announcementsContract('workers of one supervisor', async () => {
  const channels = [1, 2].map(() => channel(message => passOn(message, children)));
  const dead = {
    send() {
      throw new Error('the channel is closed');
    },
  };
  const children = [dead, ...channels.map(({ child }) => child)];
  const [one, other] = channels.map(({ worker }) => new WorkerAnnouncements(worker));
  return { one: one!, other: other!, close: async () => {} };
});
