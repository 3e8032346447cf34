/** A store with other methods. */
export function changed<T extends object>(store: T, changes: Partial<T>): T {
  return new Proxy(store, {
    get(target, name) {
      if (name in changes) return Reflect.get(changes, name);
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
