/**
 * One keep-alive connection that sends a request and waits for its answer. `fetch` costs as much as the answer to a small request.
 * The cost of the client is part of every time, so with `fetch` all ratios would look closer to 1 than they are.
 */

export interface Answer {
  status: number;
  body: string;
}

interface Pending {
  /** Bytes that the socket has not accepted yet. */
  unsent: Uint8Array;
  received: Uint8Array[];
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

type Socket = Bun.Socket<Connection>;

const NOTHING = new Uint8Array(0);
const HEAD_END = '\r\n\r\n';

export class Connection {
  #socket!: Socket;
  #pending: Pending | null = null;

  private constructor() {}

  static async open(port: number): Promise<Connection> {
    const connection = new Connection();
    connection.#socket = await Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port,
      data: connection,
      socket: {
        data: (_, bytes) => connection.#take(bytes),
        drain: () => connection.#send(),
        close: () => connection.#fail(new Error('the server closed the connection')),
        error: (_, error) => connection.#fail(error),
      },
    });
    return connection;
  }

  /** `head` is the request up to its empty line. The answer must have a Content-Length. One request at a time. */
  async request(head: string, body: Uint8Array = NOTHING): Promise<Answer> {
    if (this.#pending !== null) throw new Error('the answer before this one is still to come');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#pending = { unsent: body, received: [], resolve, reject };
    // A head is far smaller than the socket's buffer, which is empty now.
    if (this.#socket.write(head) !== head.length)
      this.#fail(new Error('the head of a request was not taken'));
    this.#send();
    return promise;
  }

  /** Like `request`, but every status except 200 is an error: the times of refusals must not count. */
  async ok(head: string, body?: Uint8Array): Promise<string> {
    const answer = await this.request(head, body);
    if (answer.status !== 200) throw new Error(`status ${answer.status}: ${answer.body}`);
    return answer.body;
  }

  close(): void {
    this.#socket.end();
  }

  #send(): void {
    const pending = this.#pending;
    if (pending === null || pending.unsent.length === 0) return;
    const sent = this.#socket.write(pending.unsent);
    if (sent < 0) this.#fail(new Error('the connection is closed'));
    else pending.unsent = pending.unsent.subarray(sent);
  }

  #take(bytes: Uint8Array): void {
    const pending = this.#pending;
    if (pending === null) return;
    // The socket reuses this buffer.
    pending.received.push(bytes.slice());
    const answer = answerIn(Buffer.concat(pending.received));
    if (answer === null) return;
    this.#pending = null;
    pending.resolve(answer);
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = null;
  }
}

/** Null while the answer is incomplete. */
function answerIn(received: Buffer): Answer | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`);
  const body = received.subarray(headEnd + HEAD_END.length);
  if (body.length < Number(length)) return null;
  return { status: Number(head.split(' ', 2)[1]), body: body.toString('utf8') };
}
