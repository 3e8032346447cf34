/** GET /metrics on the port of everybody: for whoever has the token, where there is one; else there is nothing. */
import { timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { secretSha256 } from '../account/keys.ts';
import { Rejection } from '../errors.ts';
import { bearerToken } from './authentication.ts';
import { otherMethods } from './methods.ts';

/** What may be scraped. */
export interface Figures {
  /** Who has no such bearer token gets nothing; null: everybody may ask. */
  token: string | null;
  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string>;
}

export interface MetricsRouteDependencies {
  /** Null: not to be had here. */
  figures: (Figures & { token: string }) | null;
}

export const metricsRoutes = ({ figures }: MetricsRouteDependencies) =>
  new Elysia()
    .get('/metrics', ({ request }) => scraped(request, figures), { detail: { hide: true } })
    .all('/metrics', otherMethods('GET, HEAD'));

/** Throws `Rejection` NOT_FOUND, AUTH_INVALID. */
export async function scraped({ headers }: Request, figures: Figures | null): Promise<Response> {
  if (figures === null) throw new Rejection('NOT_FOUND', 'There is nothing at this address');
  if (figures.token !== null && !isSame(bearerToken(headers) ?? '', figures.token))
    throw new Rejection('AUTH_INVALID', 'The METRICS_TOKEN is needed as Authorization: Bearer');
  const text = await figures.text();
  return new Response(text, {
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}

/** The time that it takes says nothing about the token. */
const isSame = (given: string, token: string): boolean =>
  timingSafeEqual(Buffer.from(secretSha256(given)), Buffer.from(secretSha256(token)));
