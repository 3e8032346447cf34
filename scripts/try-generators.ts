/**
 * Generates clients from the API document with public generators, and runs a program with each that posts a batch with one threshold set:
 * npm run generators [NAME …]. Installs the generators into a temporary folder; those whose tools are missing are named.
 */
import './built.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDocument } from '../test/http/documents/document.ts';
import { SCALE_KEY, Service } from '../test/http/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-generators-'));
const service = new Service();
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: request => service.app.handle(request) });
const address = `http://127.0.0.1:${server.port}`;

interface Trial {
  name: string;
  /** Programs that must be there. */
  needs: string[];
  files: Record<string, string>;
  /** Commands of a shell in a folder of its own. The last one posts the batch and prints its verdict. */
  steps: string[];
}

const NPM = 'npm install --silent --no-audit --no-fund';
const PIP = 'venv/bin/python -m pip install --quiet --disable-pip-version-check';
const NODE = 'typescript@5 @types/node@22';
const COMPILE =
  'node_modules/.bin/tsc --noEmit --strict --skipLibCheck --target es2023 --module nodenext --moduleResolution nodenext --types node';
const LENIENT =
  'node_modules/.bin/tsc --noEmit --strict --skipLibCheck --target es2023 --module preserve --moduleResolution bundler --types node';
const PACKAGE = '{"type":"module"}';
const BODY = "{ source: 'generated', rows: [{ a: 1 }], options: { thresholds: { null_rate_warn: 0.2 } } }";
const OPENAPI_GENERATOR = 'openapi-generator-cli==7.12.0';
const generated = (language: string, more = '') =>
  `venv/bin/openapi-generator-cli generate -i ../openapi.json -g ${language} -o client ${more} >generated.log 2>&1 || (tail -20 generated.log; false)`;

const TRIALS: Trial[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    needs: ['npm'],
    files: {
      'package.json': PACKAGE,
      'main.ts': `import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';
const client = createClient<paths>({ baseUrl: '${address}', headers: { 'X-API-Key': '${SCALE_KEY}' } });
const { data, error } = await client.POST('/v1/screen', { body: ${BODY} });
if (error) throw new Error(error.message);
console.log(data.status);
`,
    },
    steps: [
      `${NPM} openapi-typescript@7 openapi-fetch@0.15 ${NODE}`,
      'node_modules/.bin/openapi-typescript ../openapi.json -o schema.ts',
      `${COMPILE} --allowImportingTsExtensions main.ts`,
      'bun main.ts',
    ],
  },
  {
    name: '@hey-api/openapi-ts',
    needs: ['npm'],
    files: {
      'package.json': PACKAGE,
      'main.ts': `import { client } from './hey/client.gen';
import { screen } from './hey';
client.setConfig({ baseUrl: '${address}', headers: { 'X-API-Key': '${SCALE_KEY}' } });
const { data, error } = await screen({ body: ${BODY} });
if (!data) throw new Error(error?.message);
console.log(data.status);
`,
    },
    steps: [
      `${NPM} @hey-api/openapi-ts@0.95 ${NODE}`,
      'node_modules/.bin/openapi-ts -i ../openapi.json -o hey --silent',
      `${LENIENT} main.ts`,
      'bun main.ts',
    ],
  },
  {
    name: 'orval',
    needs: ['npm'],
    files: {
      'package.json': PACKAGE,
      'orval.config.cjs': `module.exports = { sluice: { input: '../openapi.json', output: { target: 'api.ts', client: 'fetch', baseUrl: '${address}' } } };`,
      'main.ts': `import { screen } from './api';
const headers = { 'X-API-Key': '${SCALE_KEY}', 'Content-Type': 'application/json' };
const { data, status } = await screen(${BODY}, { headers });
if (status !== 200) throw new Error(data.message);
console.log(data.status);
`,
    },
    steps: [
      `${NPM} orval@7 ${NODE}`,
      'node_modules/.bin/orval --config orval.config.cjs',
      `${LENIENT} --lib es2023,dom,dom.iterable main.ts`,
      'bun main.ts',
    ],
  },
  {
    name: 'openapi-python-client',
    needs: ['python3'],
    files: {
      // The media types that it does not know, as docs/api.md says.
      'config.yaml': `package_name_override: generated
content_type_overrides:
  text/csv: application/octet-stream
  text/tab-separated-values: application/octet-stream
  application/x-ndjson: application/octet-stream
`,
      'main.py': `from generated import AuthenticatedClient
from generated.api.screening import screen
from generated.models import Options, Report, ScreenRequest, Thresholds
client = AuthenticatedClient("${address}", token="${SCALE_KEY}", prefix="", auth_header_name="X-API-Key")
row = ScreenRequest.from_dict({"source": "generated", "rows": [{"a": 1}]})
row.options = Options(thresholds=Thresholds(null_rate_warn=0.2))
report = screen.sync(client=client, body=row)
assert isinstance(report, Report), report
print(report.status.value)
`,
    },
    steps: [
      'python3 -m venv venv',
      `${PIP} openapi-python-client==0.29.1`,
      'PATH=$PWD/venv/bin:$PATH venv/bin/openapi-python-client generate --path ../openapi.json --config config.yaml --meta none --output-path generated >generated.log || (cat generated.log; false)',
      'venv/bin/python -m compileall -q generated',
      'venv/bin/python main.py',
    ],
  },
  {
    name: 'openapi-generator, Python',
    needs: ['python3', 'java'],
    files: {
      'main.py': `import openapi_client as api
configuration = api.Configuration(host="${address}", api_key={"apiKey": "${SCALE_KEY}"})
with api.ApiClient(configuration) as client:
    options = api.Options(thresholds=api.Thresholds(null_rate_warn=0.2))
    request = api.ScreenRequest(source="generated", rows=[{"a": 1}], options=options)
    print(api.ScreeningApi(client).screen(request).status)
`,
    },
    steps: [
      'python3 -m venv venv',
      `${PIP} ${OPENAPI_GENERATOR}`,
      generated('python'),
      `${PIP} ./client`,
      'venv/bin/python main.py',
    ],
  },
  {
    name: 'openapi-generator, Go',
    needs: ['python3', 'java', 'go'],
    files: {
      'main.go': `package main

import (
	"context"
	"fmt"

	api "generated"
)

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: "${address}"}}
	configuration.AddDefaultHeader("X-API-Key", "${SCALE_KEY}")
	thresholds := api.NewThresholds()
	thresholds.SetNullRateWarn(0.2)
	options := api.NewOptions()
	options.SetThresholds(*thresholds)
	request := api.NewScreenRequest("generated", []map[string]interface{}{{"a": 1}})
	request.SetOptions(*options)
	report, _, err := api.NewAPIClient(configuration).ScreeningAPI.Screen(context.Background()).ScreenRequest(*request).Execute()
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Status)
}
`,
    },
    steps: [
      'python3 -m venv venv',
      `${PIP} ${OPENAPI_GENERATOR}`,
      generated('go', '--additional-properties=packageName=generated,withGoMod=false'),
      'rm -rf client/test && (cd client && go mod init generated && go mod tidy) 2>go.log || (cat go.log; false)',
      'go mod init main 2>/dev/null && go mod edit -replace generated=./client -require generated@v0.0.0 && go mod tidy 2>/dev/null',
      'go run .',
    ],
  },
];

/** Null, or what went wrong. */
async function tried({ name, needs, files, steps }: Trial): Promise<string | null> {
  const missing = needs.filter(each => !Bun.which(each));
  if (missing.length > 0) return `not tried: ${missing.join(' and ')} is not there`;
  const own = join(folder, name.replaceAll(/\W+/g, '-'));
  for (const [file, text] of Object.entries(files)) await Bun.write(join(own, file), text);
  let output = '';
  for (const step of steps) {
    // Not awaited with spawnSync: the server answers from this process.
    const child = Bun.spawn(['bash', '-c', step], { cwd: own, stdout: 'pipe', stderr: 'pipe' });
    const [out, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) return `failed: ${step}\n${out}${errors}`;
    output = out;
  }
  return /^"?PASS"?$/m.test(output.trim()) ? null : `printed ${JSON.stringify(output)} instead of PASS`;
}

const asked = process.argv.slice(2);
const trials = TRIALS.filter(({ name }) => asked.length === 0 || asked.some(each => name.includes(each)));
if (trials.length === 0)
  throw new Error(`there is none of this name: ${TRIALS.map(({ name }) => name).join('; ')}`);
let failed = 0;
try {
  await Bun.write(join(folder, 'openapi.json'), JSON.stringify(await readDocument()));
  for (const trial of trials) {
    const problem = await tried(trial);
    if (problem !== null) failed++;
    console.log(`${trial.name}: ${problem ?? 'generates, compiles, and posts a batch with a threshold'}`);
  }
} finally {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
