/** The OpenAPI document and the page that shows it, made from the routes by Elysia's plugin. */
import type { AnyElysia } from 'elysia';
import { Elysia } from 'elysia';
import { TAGS } from './operation.ts';
import { withComponents } from './components.ts';

export const DOCUMENT_PATH = '/openapi.json';
export const PAGE_PATH = '/docs';

export interface Published {
  /** JSON. */
  document: string;
  /** HTML. */
  page: string;
}

/** The plugin writes title and description into the page as they are: no quotes, no tags. */
const DOCUMENTATION = {
  info: {
    title: 'Sluice',
    version: '1.0.0',
    description:
      'A gate in front of a data store: post a batch of rows, get PASS, WARN or BLOCK before anything is written.\n\n' +
      'Every error of every route has a `message` for people and a `code` for programs. A method that an address does not have is a 405 ' +
      '`METHOD_NOT_ALLOWED` with `Allow`; an address that is none is a 404 `NOT_FOUND`. Every GET answers HEAD too. ' +
      'What is answered to a key or a token comes with `Cache-Control: no-store`, and so does every error. ' +
      'Every answer has an `X-Request-Id`, by which the log of the service knows the request (of a verdict it is the `request_id`), and ' +
      'tells browsers that it is no page.',
  },
  servers: [{ url: '/', description: 'Where this document comes from' }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  security: [{ apiKey: [] }, { session: [] }],
  components: {
    securitySchemes: {
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'For programs: a key of the account (`sluice_live_…`). It counts before a session.',
      },
      session: {
        type: 'http',
        scheme: 'bearer',
        description: 'For people: the token of a session (`sluice_session_…`), from `POST /v1/auth/session`.',
      },
    },
  },
} as const;

/** Swagger UI, from files that we serve, telling nobody about the document. */
const SWAGGER = {
  cdn: `${PAGE_PATH}/swagger-ui-bundle.js`,
  theme: `${PAGE_PATH}/swagger-ui.css`,
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
} as const;

/** Takes a tenth of a second or two, most of it for loading the plugin, which brings readers of many kinds of schema along: no start waits for it. */
export async function publish(app: AnyElysia): Promise<Published> {
  const { openapi } = await import('@elysiajs/openapi');
  const settings = { provider: 'swagger-ui', path: PAGE_PATH, specPath: DOCUMENT_PATH } as const;
  const documents = documented(app).use(
    // Its types are of OpenAPI 3.0 and of an older Swagger UI.
    openapi({ ...settings, documentation: DOCUMENTATION as never, swagger: SWAGGER as never }),
  );
  const [document, page] = await Promise.all(
    [DOCUMENT_PATH, PAGE_PATH].map(path => documents.handle(new Request(`http://localhost${path}`))),
  );
  const complete = withComponents(withParameters((await document!.json()) as Document, app));
  return { document: JSON.stringify(complete), page: withIcon(await page!.text()) };
}

/** The routes that have documents, with nothing behind them. */
function documented(app: AnyElysia): Elysia {
  const documents = new Elysia();
  for (const { method, path, hooks } of app.routes) {
    const { detail } = hooks;
    if (detail && !detail.hide) documents.route(method, path, () => {}, { detail });
  }
  return documents;
}

type Document = { paths: Record<string, Record<string, { parameters?: unknown }>> } & Record<string, unknown>;

/** The plugin writes a bare name in the place of all that a route with a name in its path says of its parameters. */
function withParameters(document: Document, app: AnyElysia): Document {
  for (const { method, path, hooks } of app.routes) {
    const operation = document.paths[path.replace(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation && hooks.detail?.parameters) operation.parameters = hooks.detail.parameters;
  }
  return document;
}

const withIcon = (html: string): string =>
  html.replace(
    '</head>',
    `<link rel="icon" type="image/png" href="${PAGE_PATH}/favicon-32x32.png" /></head>`,
  );
