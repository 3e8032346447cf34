/** /v1/batches: batches of any length, in one request or in parts. */
import { abortBatch, findBatch, openBatch, statusAt } from '../../batches/batch.ts';
import { BODY_SECONDS } from '../../batches/body.ts';
import type { PartsDependencies } from '../../batches/dependencies.ts';
import { finishBatch } from '../../batches/finish.ts';
import { MAX_LISTED, MAX_PARTS } from '../../batches/limits.ts';
import { addPart } from '../../batches/parts.ts';
import { screenWhole } from '../../batches/whole.ts';
import { PLANS } from '../../account/plans.ts';
import { PlanLimitExceeded } from '../../account/reservation.ts';
import { isJsonObject } from '../../documents/json-object.ts';
import { parseContentType } from '../../intake/content-type.ts';
import { idempotencyKey, withDialect } from '../../intake/headers.ts';
import { Upload } from '../../intake/upload.ts';
import { checkSource } from '../../names/source.ts';
import { parseOptions } from '../../options/options.ts';
import { Report } from '../../report-schema/report.ts';
import { StageClock } from '../../screen/stages.ts';
import type { Identity, StoredBatch } from '../../stores/ports.ts';
import { quoted, Rejection } from '../../terms/errors.ts';
import { OWN_CHECK } from '../caller.ts';
import { dateTime } from '../date-time.ts';
import { answer, json } from '../documents/operation.ts';
import { BLOCKED } from '../documents/examples.ts';
import { jsonText } from '../json-body.ts';
import { takeRate } from '../rate-limit.ts';
import { refuse } from '../refuse.ts';
import { factsOf } from '../request-facts.ts';
import { route } from '../route.ts';
import { serverTiming } from '../server-timing.ts';
import { quotasOf, respond, type ScreenRouteDependencies, type Way } from '../screen/respond.ts';
import { HEADERS, PARAMETERS } from '../screen/schema.ts';
import * as schema from './schema.ts';

export type BatchRouteDependencies = ScreenRouteDependencies & PartsDependencies;

/** No body is too long. */
const limitsOf = (deps: BatchRouteDependencies) => ({
  bodyStallSeconds: deps.bodyStallSeconds,
  maxBodyBytes: Number.POSITIVE_INFINITY,
  bodySeconds: BODY_SECONDS,
});

const WHOLE: Way<BatchRouteDependencies> = {
  maxBodyBytes: () => null,
  isNamed: true,
  screen: (batch, deps) => screenWhole({ ...batch, named: batch.named! }, deps),
};

const OF_BODY = [
  'INVALID_JSON',
  'INVALID_ROWS',
  'INVALID_OPTIONS',
  'INVALID_PARAMETER',
  'INVALID_ENCODING',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

const NO_BATCH = { NOT_FOUND: `The account has no batch '${schema.EXAMPLE_BATCH.batch_id}'` };

const whole = route('POST /v1/batches/whole', {
  operationId: 'screenWhole',
  tag: 'Batches',
  summary: 'Screen a batch of any length in one request',
  description:
    'The body may have any number of rows, and is judged as one batch: one verdict, one job, one entry in the history of the source. Headers name source and options for every format. ' +
    'JSON is an array of rows, or an object with `rows`.',
  callers: OWN_CHECK,
  headers: PARAMETERS,
  content: schema.BODY,
  answers: { 200: answer('The verdict', Report, { blocked: BLOCKED }, HEADERS) },
  refusals: ['MISSING_SOURCE', 'INVALID_RULES', 'IDEMPOTENCY_CONFLICT', 'PLAN_LIMIT_EXCEEDED', ...OF_BODY],
  handle: ({ request }, deps: BatchRouteDependencies) =>
    respond(request, new Upload(request.body, limitsOf(deps)), deps, WHOLE),
});

/** Larger than any rules. */
const MAX_OPENING_BYTES = 2 * 1024 * 1024;

const open = route('POST /v1/batches', {
  operationId: 'openBatch',
  tag: 'Batches',
  summary: 'Open a batch that comes in parts',
  description:
    'Then send its parts, in any order and at once, to any replica, and finish it. All parts are compared with the source as it is now. An account may have 100 batches open.',
  headers: PARAMETERS.filter(({ name }) => name === 'Idempotency-Key'),
  content: {
    required: true,
    content: json(schema.BatchRequest, {
      plain: { source: 'orders' },
      options: { source: 'orders', options: { mode: 'adaptive' } },
    }),
  },
  answers: { 201: answer('The batch is open', schema.OpenedBatch, { opened: schema.EXAMPLES.opened }) },
  refusals: [
    'INVALID_JSON',
    'MISSING_SOURCE',
    'INVALID_OPTIONS',
    'INVALID_RULES',
    'INVALID_PARAMETER',
    'REQUEST_TIMEOUT',
    'IDEMPOTENCY_CONFLICT',
    'BATCH_LIMIT',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  async handle({ request, caller }, deps: BatchRouteDependencies) {
    const key = idempotencyKey(request.headers);
    const { value, text } = await jsonText(request, deps, MAX_OPENING_BYTES);
    if (!isJsonObject(value))
      throw new Rejection('MISSING_SOURCE', 'The body must be a JSON object with source');
    const source = checkSource(value.source, 'source');
    const { options } = value;
    parseOptions(options, text);
    const given = options === undefined ? null : JSON.stringify(options);
    const batch = await openBatch(caller.account, { source, options: given, key }, deps);
    return { batch_id: batch.id, source, expires_at: dateTime(batch.expiresAt) };
  },
});

const part = route('PUT /v1/batches/:id/parts/:part', {
  operationId: 'sendPart',
  tag: 'Batches',
  summary: 'Send a part of a batch',
  description:
    'A body of any length, in any format that `POST /v1/screen` takes; JSON is an array of rows, or an object with `rows`. Each part of CSV begins with its own header, and fields are joined by name. ' +
    'It may have no row. The same part again with the same bytes has the same answer, also after `finish`; one that broke off counts as never sent.',
  callers: OWN_CHECK,
  params: schema.OF_PART,
  headers: PARAMETERS.filter(({ name }) => name.startsWith('X-CSV') || name === 'Content-Encoding'),
  content: schema.BODY,
  answers: { 200: answer('The part is there', schema.SentPart, { part: schema.EXAMPLES.part }) },
  refusals: ['NOT_FOUND', 'BATCH_OF_WINDOW', 'BATCH_FINISHED', 'BATCH_LIMIT', 'PART_CONFLICT', ...OF_BODY],
  messages: NO_BATCH,
  handle: ({ request, id, part: number }, deps: BatchRouteDependencies) =>
    receivePart(request, id, number, deps),
});

async function receivePart(request: Request, id: string, number: string, deps: BatchRouteDependencies) {
  const upload = new Upload(request.body, limitsOf(deps));
  const facts = factsOf(request);
  facts.upload = upload;
  try {
    const { account, key } = await deps.authentication.identityOf(request.headers);
    facts.account = account.id;
    deps.keyUses.note(key, deps.now());
    const contentType = withDialect(request.headers, parseContentType(request.headers));
    await takeRate(account.id, PLANS[account.plan], `The ${account.plan} plan allows requests:`, deps);
    const answered = await addPart({ account, id, part: partIn(number), upload, contentType }, deps);
    return new Response(answered, {
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    });
  } catch (error) {
    return refuse(error, upload, facts, deps);
  }
}

function partIn(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) < MAX_PARTS) return Number(text);
  throw new Rejection(
    'INVALID_PARAMETER',
    `The number of a part must be from 0 to ${MAX_PARTS - 1}, not ${quoted(text)}`,
  );
}

const finish = route('POST /v1/batches/:id/finish', {
  operationId: 'finishBatch',
  tag: 'Batches',
  summary: 'Finish a batch',
  description:
    'Judges all parts as one batch, and answers as `POST /v1/screen` does. Rows are numbered over the whole batch from 0, part after part. A repeat has the same answer.',
  params: schema.OF_BATCH,
  body: { schema: schema.FinishRequest, examples: { two: { parts: 2 } } },
  answers: { 200: answer('The verdict', Report, { blocked: BLOCKED }, HEADERS) },
  refusals: [
    'NOT_FOUND',
    'INVALID_ROWS',
    'BATCH_OF_WINDOW',
    'PARTS_MISSING',
    'PART_CONFLICT',
    'IDEMPOTENCY_CONFLICT',
    'PLAN_LIMIT_EXCEEDED',
  ],
  messages: NO_BATCH,
  handle: ({ request, caller, id, body }, deps: BatchRouteDependencies) =>
    answerFinish(request, caller, id, body.parts, deps),
});

async function answerFinish(
  request: Request,
  { account, key }: Identity,
  id: string,
  parts: number,
  deps: BatchRouteDependencies,
): Promise<Response> {
  const facts = factsOf(request);
  const clock = new StageClock();
  facts.clock = clock;
  const requests = await takeRate(
    account.id,
    PLANS[account.plan],
    `The ${account.plan} plan allows requests:`,
    deps,
  );
  clock.lap('admit');
  const finishing = { account, isPerson: key === null, id, parts, clock };
  const screened = await finishBatch(finishing, deps).catch(error => {
    throw error instanceof PlanLimitExceeded
      ? error.with(quotasOf(error, requests, account, deps.now()))
      : error;
  });
  facts.screened = screened;
  const quotas = quotasOf(screened, requests, account, deps.now());
  const timing = { 'Server-Timing': serverTiming(clock) };
  return new Response(screened.body, { headers: { ...screened.headers, ...quotas, ...timing } });
}

const list = route('GET /v1/batches', {
  operationId: 'listBatches',
  tag: 'Batches',
  summary: 'List batches that come in parts',
  description: `The open ones first, then the newest; at most ${MAX_LISTED}. Ended ones can be seen for a week.`,
  answers: { 200: answer('The batches', schema.BatchList, { one: { batches: [schema.EXAMPLE_BATCH] } }) },
  handle: async ({ caller }, deps: BatchRouteDependencies) => ({
    batches: (await deps.batches.list(caller.account.id, MAX_LISTED)).map(batch => shown(batch, deps.now())),
  }),
});

const find = route('GET /v1/batches/:id', {
  operationId: 'findBatch',
  tag: 'Batches',
  summary: 'Get a batch that comes in parts',
  params: schema.OF_BATCH,
  answers: { 200: answer('The batch', schema.BatchInParts, { open: schema.EXAMPLE_BATCH }) },
  refusals: ['NOT_FOUND'],
  messages: NO_BATCH,
  handle: async ({ caller, id }, deps: BatchRouteDependencies) =>
    withParts(await findBatch(caller.account, id, deps), deps),
});

const remove = route('DELETE /v1/batches/:id', {
  operationId: 'abortBatch',
  tag: 'Batches',
  summary: 'Give a batch up',
  description: 'Nothing of it is learned or counted.',
  params: schema.OF_BATCH,
  answers: {
    200: answer('The batch is given up', schema.BatchInParts, {
      aborted: { ...schema.EXAMPLE_BATCH, status: 'aborted' },
    }),
  },
  refusals: ['NOT_FOUND', 'BATCH_OF_WINDOW', 'BATCH_FINISHED'],
  messages: NO_BATCH,
  handle: async ({ caller, id }, deps: BatchRouteDependencies) =>
    withParts(await abortBatch(caller.account, id, deps), deps),
});

type Shown = Omit<StoredBatch, 'begun' | 'answer'>;

const shown = ({ id, source, status, createdAt, expiresAt, requestId, window }: Shown, now: number) => ({
  batch_id: id,
  source,
  status: status === 'finishing' ? 'open' : statusAt({ status, expiresAt }, now),
  created_at: dateTime(createdAt),
  expires_at: dateTime(expiresAt),
  request_id: requestId,
  ...(window && {
    rows: window.rows,
    window: { rows: window.mostRows, ends_at: window.dueAt === null ? null : dateTime(window.dueAt) },
  }),
});

/** Posts to a window are no parts that could be sent again. */
async function withParts(batch: StoredBatch, deps: BatchRouteDependencies) {
  if (batch.window) return shown(batch, deps.now());
  const parts = await deps.batches.parts(batch.id);
  return { ...shown(batch, deps.now()), rows: parts.reduce((sum, { rows }) => sum + rows, 0), parts };
}

export const batchRoutes = [whole, open, list, find, remove, part, finish];
