/** Port: messages between replicas that invalidate cached copies. Copies are short-lived, so a lost message does no harm. */
export interface PubSub {
  publish(message: string): Promise<void>;
  /** Calls `receive` for every message, including our own, in any order, until the process exits. */
  subscribe(receive: (message: string) => void): Promise<void>;
  /**
   * Delivers messages that are not pushed. Call it before using a cached copy. If the store cannot be read, the next call
   * delivers them.
   */
  poll(): void;
}
