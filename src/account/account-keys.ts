/** Lists, creates and deletes an account's API keys. */
import { quoted, Rejection } from '../terms/errors.ts';
import { isNameOrBlank, plainName } from '../names/plain-name.ts';
import type { Identity, KeyEntry, KeyStore } from '../stores/ports.ts';
import type { KeyUses } from './key-uses.ts';
import {
  displayPrefix,
  isKeyId,
  KEY_ID_BYTES,
  keyFrom,
  keyIdFrom,
  SECRET_BYTES,
  secretSha256,
} from './keys.ts';

/** Maximum number of keys of an account at a time. */
export const MAX_KEYS = 100;
export const MAX_NAME_CHARACTERS = 100;
const DEFAULT_NAME = 'API key';

export interface AccountKeysDependencies {
  keys: KeyStore;
  keyUses: KeyUses;
  /** Removes a key from the cache, by its SHA-256. */
  authentication: { forget(sha256: string): void };
  /** Milliseconds since 1970. */
  now(): number;
  random(bytes: number): Uint8Array;
}

/** A new key: only now is its full text available. */
export interface NewKey {
  key: string;
  id: string;
  name: string;
}

/** Validates and trims a key's name; `API key` if it is empty. Throws `Rejection` INVALID_PARAMETER. */
export const keyName = (given: unknown): string =>
  plainName(given ?? '', 'name', MAX_NAME_CHARACTERS) || DEFAULT_NAME;

/** Whether `keyName` takes it. */
export const isKeyName = (given: unknown): boolean => isNameOrBlank(given ?? '', MAX_NAME_CHARACTERS);

/** The account's keys, oldest first. Includes uses that are not written yet. Throws `Rejection` SERVICE_UNAVAILABLE. */
export async function listKeys(
  account: string,
  { keys, keyUses }: Pick<AccountKeysDependencies, 'keys' | 'keyUses'>,
): Promise<KeyEntry[]> {
  const entries = await keys.list(account);
  return entries.map(entry => ({ ...entry, lastUsed: keyUses.lastUsed(entry) }));
}

/** Throws `Rejection` NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function findKey(
  account: string,
  id: string,
  deps: Pick<AccountKeysDependencies, 'keys' | 'keyUses'>,
): Promise<KeyEntry> {
  const found = (await listKeys(account, deps)).find(entry => entry.id === id);
  if (!found) throw noKey(id);
  return found;
}

/** Creates a key that works at once. Throws `Rejection` KEY_LIMIT, SERVICE_UNAVAILABLE. */
export async function createKey(
  account: string,
  name: string,
  { keys, now, random }: AccountKeysDependencies,
): Promise<NewKey> {
  const key = keyFrom(random(SECRET_BYTES));
  const id = keyIdFrom(random(KEY_ID_BYTES));
  const entry = { id, name, prefix: displayPrefix(key), sha256: secretSha256(key), createdAt: now() };
  if (!(await keys.add(account, entry, MAX_KEYS)))
    throw new Rejection(
      'KEY_LIMIT',
      `An account may have at most ${MAX_KEYS} keys: delete one that you no longer need`,
    );
  return { key, id, name };
}

/**
 * Deletes a key of the caller's account. It stops working here at once, and in other processes when their cache expires.
 * Throws `Rejection` KEY_IN_USE for the key of the request itself, so that users cannot lock themselves out;
 * NOT_FOUND, with the same message whether the key is unknown or belongs to another account; SERVICE_UNAVAILABLE.
 */
export async function deleteKey(
  { account, key }: Identity,
  id: string,
  { keys, authentication }: AccountKeysDependencies,
): Promise<void> {
  if (id === key)
    throw new Rejection(
      'KEY_IN_USE',
      'This request uses the key that it deletes: use another key, or sign in',
    );
  const sha256 = isKeyId(id) ? await keys.remove(account.id, id) : null;
  if (sha256 === null) throw noKey(id);
  authentication.forget(sha256);
}

const noKey = (id: string) => new Rejection('NOT_FOUND', `The account has no key ${quoted(id)}`);
