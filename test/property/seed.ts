/** One seed for all properties of a process. It is printed; set FC_SEED to it to run the same cases again. */
import fc from 'fast-check';

const given = process.env.FC_SEED;
export const seed = given === undefined ? Date.now() & 0x7fffffff : Number(given);
if (!Number.isSafeInteger(seed)) throw new Error('FC_SEED is not an integer');

fc.configureGlobal({ seed, includeErrorInReport: true });
console.info(`FC_SEED=${seed}`);
