/** /openapi.json, /asyncapi.json and /docs: the API's documents for programs and for people, created at the first request. */
import { dirname, join } from 'node:path';
import { ASYNC_PATH, asyncDocument } from './documents/asyncapi.ts';
import { DOCUMENT_PATH, PAGE_PATH, type Published, publish } from './documents/publish.ts';
import { hasTag } from './etag.ts';
import { nothingHere } from './methods.ts';
import { inlineHashes, pageHeaders } from './page-headers.ts';
import { page, type Route } from './route.ts';
import { UnsentBytes } from './unsent-bytes.ts';

/** The files of Swagger UI's package that are served. */
const FILES = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** The account under which answers to everybody are counted. */
const EVERYBODY = '';
/** The largest of FILES has 1.8 MB. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** Revalidated each time, so that an upgrade shows at once. */
const FRESH = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };

/** Serves the documents of the routes. */
export function docsRoutes(routes: readonly Route[]): Route<unknown>[] {
  let published: Promise<Published> | null = null;
  const documents = (): Promise<Published> => {
    published ??= publish(routes);
    return published;
  };
  const unsent = new UnsentBytes();
  /** Waits until there is room for one more unread answer: they are large, and anybody may request them. */
  const reserve = (request: Request) => unsent.reserve(request, EVERYBODY, MAX_FILE_BYTES);
  let streams: Promise<string> | null = null;
  const asyncText = (): Promise<string> => {
    streams ??= documents().then(({ document }) => asyncDocument(JSON.parse(document).components.schemas));
    return streams;
  };
  return [
    page(DOCUMENT_PATH, async ({ request }) => {
      await reserve(request);
      return jsonAnswer((await documents()).document);
    }),
    page(ASYNC_PATH, async ({ request }) => {
      await reserve(request);
      return jsonAnswer(await asyncText());
    }),
    page(PAGE_PATH, async ({ request }) => pageOf(request, await documents())),
    page(`${PAGE_PATH}/:file`, async ({ request, params }) => {
      await reserve(request);
      return fileOf(request, params?.file ?? '');
    }),
  ];
}

const jsonAnswer = (document: string): Response =>
  new Response(document, { headers: { 'Content-Type': 'application/json', ...FRESH } });

function pageOf(request: Request, { page }: Published): Response {
  // Elysia treats `/docs/` as `/docs`, but a browser would resolve relative URLs differently.
  if (new URL(request.url).pathname.endsWith('/'))
    return new Response(null, { status: 308, headers: { Location: PAGE_PATH } });
  const sources = {
    scripts: inlineHashes(page, 'script'),
    styles: inlineHashes(page, 'style'),
    // Icons in the style sheet.
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
