/**
 * JavaScriptCore guards 8 memories of WebAssembly by page faults. A ninth checks every access and is copied whenever it grows: a batch of 2,000 columns then took half a minute. Besides
 * these threads there are the one for small batches and the one that finds where records begin.
 */
export const MAX_THREADS = 6;
