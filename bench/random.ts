/** Repeatable random inputs: one seed gives the same sequence on every machine. */

export class Random {
  #state: number;

  /** Any integer; seeds that differ modulo 2^32 give different sequences. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform 32 bits: a Weyl sequence through the finaliser of MurmurHash3 (Appleby 2011). */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  }

  /** Uniform from 0 to 1, without 1, with all 53 bits: most need 16 or 17 decimal digits. */
  unit(): number {
    return ((this.bits() >>> 5) * 2 ** 26 + (this.bits() >>> 6)) / 2 ** 53;
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor((this.bits() / 2 ** 32) * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.bits() < probability * 2 ** 32;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!;
  }

  /** Normal, mean 0, deviation 1 (Box and Muller 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  /** `list` in random order (Fisher and Yates 1938). */
  shuffled<T>(list: readonly T[]): T[] {
    const order = [...list];
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.between(0, i);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    return order;
  }
}
