/** Creates the OpenAPI document and its page from the routes with Elysia's plugin. */
import { Elysia } from 'elysia';
import type { Route } from '../route.ts';
import { withComponents } from './components.ts';
import { operationOf } from './describe.ts';
import { TAGS } from './operation.ts';

export const DOCUMENT_PATH = '/openapi.json';
export const PAGE_PATH = '/docs';

export interface Published {
  /** JSON. */
  document: string;
  /** HTML. */
  page: string;
}

/** The plugin writes title and description into the page without escaping: use no quotes and no tags. */
const DOCUMENTATION = {
  info: {
    title: 'Sluice',
    version: '1.0.0',
    description:
      'A gate in front of a data store: post a batch of rows, get PASS, WARN or BLOCK before anything is written.\n\n' +
      'Every error has a `message` for people and a `code` for programs. An unsupported method is a 405 ' +
      '`METHOD_NOT_ALLOWED` with `Allow`; an unknown address is a 404 `NOT_FOUND`. Every GET supports HEAD too. ' +
      'All errors, and responses to a key or a token, have `Cache-Control: no-store`, except a verdict: caches do not keep such responses to a POST. ' +
      'Every response to a valid HTTP/1.1 request has an `X-Request-Id`, which the log of the service contains too (for a verdict it is ' +
      'the `request_id`). All responses have headers that keep browsers from treating them as pages. A request with a valid `traceparent` (W3C Trace Context) is answered ' +
      'with one for the next step of its trace.',
  },
  servers: [{ url: '/', description: 'This server' }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  security: [{ apiKey: [] }, { session: [] }],
  components: {
    securitySchemes: {
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description:
          'For programs: an API key of the account (`sluice_live_…`). It takes precedence over a session.',
      },
      session: {
        type: 'http',
        scheme: 'bearer',
        description: 'For people: a session token (`sluice_session_…`) from `POST /v1/auth/session`.',
      },
    },
  },
} as const;

/** Settings of Swagger UI: our own files, and no external validator. */
const SWAGGER = {
  cdn: `${PAGE_PATH}/swagger-ui-bundle.js`,
  theme: `${PAGE_PATH}/swagger-ui.css`,
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
} as const;

/** Takes one or two tenths of a second, mostly to load the plugin, so it runs at the first request and not at start. */
export async function publish(routes: readonly Route[]): Promise<Published> {
  const { openapi } = await import('@elysiajs/openapi');
  const settings = { provider: 'swagger-ui', path: PAGE_PATH, specPath: DOCUMENT_PATH } as const;
  const documents = documented(routes).use(
    // Its types are for OpenAPI 3.0 and an older Swagger UI.
    openapi({ ...settings, documentation: DOCUMENTATION as never, swagger: SWAGGER as never }),
  );
  const [document, page] = await Promise.all(
    [DOCUMENT_PATH, PAGE_PATH].map(path => documents.handle(new Request(`http://localhost${path}`))),
  );
  const complete = withComponents(withParameters((await document!.json()) as Document, routes));
  return { document: JSON.stringify(complete), page: withIcon(await page!.text()) };
}

/** The described routes, without their handlers. */
function documented(routes: readonly Route[]): Elysia {
  const documents = new Elysia();
  for (const route of routes)
    if (route.documented)
      documents.route(route.method, route.path, () => {}, { detail: operationOf(route) } as object);
  return documents;
}

type Document = { paths: Record<string, Record<string, { parameters?: unknown }>> } & Record<string, unknown>;

/** Restores the parameters of routes with a name in their path: the plugin replaces them by a bare name. */
function withParameters(document: Document, routes: readonly Route[]): Document {
  for (const route of routes) {
    const operation = document.paths[route.path.replace(/:([^/]+)/g, '{$1}')]?.[route.method.toLowerCase()];
    if (operation) operation.parameters = operationOf(route).parameters;
  }
  return document;
}

const withIcon = (html: string): string =>
  html.replace(
    '</head>',
    `<link rel="icon" type="image/png" href="${PAGE_PATH}/favicon-32x32.png" /></head>`,
  );
