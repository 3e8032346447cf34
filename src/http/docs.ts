/** /openapi.json and /docs: what the service offers, for programs and for people. Nothing here is made before it is asked for. */
import { dirname, join } from 'node:path';
import { type AnyElysia, Elysia } from 'elysia';
import { DOCUMENT_PATH, PAGE_PATH, type Published, publish } from './documents/publish.ts';
import { hasTag } from './etag.ts';
import { nothingHere, otherMethods } from './methods.ts';
import { inlineHashes, pageHeaders } from './page-headers.ts';

/** Of Swagger UI's package, by name: nothing else of it can be asked for. */
const FILES = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** Not among the documents themselves. */
const HIDDEN = { detail: { hide: true } };
/** Asked for again each time: an upgrade shows at once. */
const FRESH = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };

/** Adds the documents of all routes that the application has by the time that somebody asks. */
export function docs(app: AnyElysia) {
  let made: Promise<Published> | null = null;
  const published = (): Promise<Published> => {
    made ??= publish(app);
    return made;
  };
  const routes = new Elysia()
    .get(DOCUMENT_PATH, async () => documentOf(await published()), HIDDEN)
    .all(DOCUMENT_PATH, otherMethods('GET, HEAD'))
    .get(PAGE_PATH, async ({ request }) => pageOf(request, await published()), HIDDEN)
    .all(PAGE_PATH, otherMethods('GET, HEAD'))
    .get(`${PAGE_PATH}/:file`, ({ request, params }) => fileOf(request, params.file), HIDDEN)
    .all(`${PAGE_PATH}/:file`, otherMethods('GET, HEAD'));
  return app.use(routes);
}

const documentOf = ({ document }: Published): Response =>
  new Response(document, { headers: { 'Content-Type': 'application/json', ...FRESH } });

function pageOf(request: Request, { page }: Published): Response {
  // Elysia takes `/docs/` for `/docs`, but a browser looks for the document beside it.
  if (new URL(request.url).pathname.endsWith('/'))
    return new Response(null, { status: 308, headers: { Location: PAGE_PATH } });
  const sources = {
    scripts: inlineHashes(page, 'script'),
    styles: inlineHashes(page, 'style'),
    // The icons in its style sheet.
    images: ['data:'],
  };
  const headers = { 'Content-Type': 'text/html; charset=utf-8', ...FRESH, ...pageHeaders(sources) };
  return new Response(page, { headers });
}

async function fileOf(request: Request, name: string): Promise<Response> {
  const type = FILES.get(name);
  if (type === undefined) throw nothingHere();
  const file = Bun.file(join(folder(), name));
  const etag = `"${file.size.toString(36)}-${file.lastModified.toString(36)}"`;
  const headers = { 'Content-Type': type, ETag: etag, ...FRESH };
  if (hasTag(request.headers, etag)) return new Response(null, { status: 304, headers });
  return new Response(file, { headers });
}

const folder = (): string => dirname(Bun.resolveSync('swagger-ui-dist/package.json', import.meta.dir));
