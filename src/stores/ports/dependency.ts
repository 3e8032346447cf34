/** A store that every request needs, for the readiness check. */
export interface Dependency {
  /** Name for operators. */
  name: string;
  /** Throws SERVICE_UNAVAILABLE if the store cannot be read and written now; its `cause` has the reason. */
  check(): Promise<void>;
}
