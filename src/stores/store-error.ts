/** A store cannot be opened. The message is one line and names the configuration variable. */
export class StoreError extends Error {}
