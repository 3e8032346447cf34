/** GET / and /assets/{name}: serves the dashboard that `scripts/build-dashboard.ts` built. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { hasTag } from './etag.ts';
import { nothingHere } from './methods.ts';
import { pageHeaders } from './page-headers.ts';
import { page } from './route.ts';

/** A file in all its content codings. */
interface PageFile {
  type: string;
  /** Hash of its bytes, with the quotes that HTTP requires. */
  etag: string;
  /** Bytes by content coding. */
  codings: Record<Coding, Uint8Array<ArrayBuffer>>;
}

export interface Dashboard {
  page: PageFile;
  /** By name, which contains a hash of the bytes. */
  assets: ReadonlyMap<string, PageFile>;
}

export interface DashboardRouteDependencies {
  dashboard: Dashboard;
}

/** Content codings in the order of preference, with the file endings of the build. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } as const;
type Coding = keyof typeof ENDINGS;
const CODINGS = Object.keys(ENDINGS) as Coding[];

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const SECURITY = pageHeaders({ isTextOnly: true });

/** The page is revalidated each time, so that a new version shows at once. Assets never change under their names. */
const PAGE_CACHING = 'no-cache';
const ASSET_CACHING = 'public, max-age=31536000, immutable';

export const dashboardRoutes = [
  page('/', ({ request }, { dashboard }: DashboardRouteDependencies) =>
    send(dashboard.page, PAGE_CACHING, request.headers),
  ),
  page('/assets/:name', ({ request, params }, { dashboard }: DashboardRouteDependencies) => {
    const asset = dashboard.assets.get(params?.name ?? '');
    if (asset === undefined) throw nothingHere();
    return send(asset, ASSET_CACHING, request.headers);
  }),
];

/** Reads the built dashboard from `folder`. Throws if it has not been built. */
export async function readDashboard(folder: string): Promise<Dashboard> {
  const names = (await readdir(join(folder, 'assets'))).filter(name => extname(name) in TYPES);
  const assets = await Promise.all(
    names.map(async name => [name, await readPageFile(join(folder, 'assets', name))] as const),
  );
  return { page: await readPageFile(join(folder, 'index.html')), assets: new Map(assets) };
}

async function readPageFile(path: string): Promise<PageFile> {
  const [br, gzip, identity] = await Promise.all(
    CODINGS.map(coding => Bun.file(path + ENDINGS[coding]).bytes()),
  );
  const hash = createHash('sha256').update(identity!).digest('hex').slice(0, 32);
  return {
    type: TYPES[extname(path)]!,
    etag: `"${hash}"`,
    codings: { br: br!, gzip: gzip!, identity: identity! },
  };
}

function send({ type, etag, codings }: PageFile, caching: string, asked: Headers): Response {
  const coding = preferredCoding(asked.get('accept-encoding'));
  const headers = {
    ...SECURITY,
    'Cache-Control': caching,
    'Content-Type': type,
    // One for each coding, so that caches do not confuse their bytes.
    ETag: coding === 'identity' ? etag : `${etag.slice(0, -1)}-${coding}"`,
    Vary: 'Accept-Encoding',
    ...(coding !== 'identity' && { 'Content-Encoding': coding }),
  };
  if (hasTag(asked, headers.ETag)) return new Response(null, { status: 304, headers });
  return new Response(codings[coding], { headers });
}

/** Our best coding that `Accept-Encoding` accepts. It accepts only named codings without `q=0`. */
export function preferredCoding(accepted: string | null): Coding {
  const weights = new Map((accepted ?? '').split(',').map(weighted));
  const weight = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  return CODINGS.find(coding => coding !== 'identity' && weight(coding) > 0) ?? 'identity';
}

/** `gzip;q=0.5` */
function weighted(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.toLowerCase().split(';');
  const q = parameters.map(each => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find(each => each !== undefined);
  return [coding.trim(), q === undefined ? 1 : Number(q)];
}
