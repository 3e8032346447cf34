/** JavaScriptCore guards 8 memories of WebAssembly by page faults. A ninth checks every access and is copied whenever it grows: a batch of 2,000 columns then took half a minute. */
export const MAX_THREADS = 7;
