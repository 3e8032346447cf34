/** What the engine and its host share about a part of a batch, see `abi.ts`. */

/** Equal intervals of the hashes of values, by which those of a part of a batch are counted. */
export const SLOTS = 1024;
/** A number of a part is frequent if one in so many is the same one, and two are. */
export const ATOM_ONE_IN = 100;
/** Room for such numbers: more than there may be. */
export const MAX_ATOMS = 128;
