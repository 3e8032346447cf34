/** The files for Kubernetes and Compose are valid and fit the service. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { MIB, mostMemoryBytes } from '../e2e/most-memory.ts';

const root = join(import.meta.dir, '../..');
const read = (path: string): Promise<string> => Bun.file(join(root, path)).text();

const KINDS = { Deployment, Service, HorizontalPodAutoscaler, PodDisruptionBudget, NetworkPolicy };
type Kind = keyof typeof KINDS;

const objects = parseAllDocuments(await read('deploy/kubernetes/sluice.yaml')).map(each => each.toJS());
const objectOf = (kind: Kind) => objects.find(each => each.kind === kind);
const container = objectOf('Deployment').spec.template.spec.containers[0];

const compose = parse(await read('compose.yaml'), { merge: true });

interface ComposeService {
  environment: Record<string, string>;
  stop_grace_period: string;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  volumes?: string[];
  networks: string[];
}
const services: Record<string, ComposeService> = compose.services;

test.each(Object.keys(KINDS) as Kind[])("the %s is valid by Kubernetes' own schema", kind => {
  expect(() => new KINDS[kind](objectOf(kind)).validate()).not.toThrow();
});

test('a manifest with a missing member is not valid', () => {
  const service = structuredClone(objectOf('Service'));
  service.spec.ports[0].port = 'http';
  expect(() => new Service(service).validate()).toThrow('port');
});

test('all Kubernetes objects select the same pods', () => {
  const labels = objectOf('Deployment').spec.template.metadata.labels;
  expect(objectOf('Deployment').spec.selector.matchLabels).toEqual(labels);
  expect(objectOf('Service').spec.selector).toEqual(labels);
  expect(objectOf('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
  expect(objectOf('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
  expect(objectOf('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(
    objectOf('Deployment').metadata.name,
  );
});

interface Ports {
  ports: { port: number | string; protocol: string }[];
}

test('the network policy lets in what the service serves, and out what its settings name', () => {
  const { ingress, egress, policyTypes } = objectOf('NetworkPolicy').spec;
  const portsOf = (rules: Ports[]) =>
    rules.flatMap(({ ports }) => ports.map(({ port, protocol }) => `${protocol} ${port}`));
  expect(policyTypes).toEqual(['Ingress', 'Egress']);
  expect(portsOf(ingress)).toEqual([`TCP ${container.ports[0].name}`]);
  const needed = ['UDP 53', 'TCP 53', 'TCP 5432', 'TCP 6379', 'TCP 465', 'TCP 587', 'TCP 443'];
  expect(portsOf(egress)).toEqual(needed);
});

test('the image is the one of this version, and a replica is bounded in all that it takes', async () => {
  const { version } = JSON.parse(await read('package.json'));
  expect(container.image).toBe(`sluice:${version}`);
  const { requests, limits } = container.resources;
  const resources = ['cpu', 'ephemeral-storage', 'memory'];
  expect([Object.keys(requests).sort(), Object.keys(limits).sort()]).toEqual([resources, resources]);
  const { runAsUser, runAsGroup, runAsNonRoot } = objectOf('Deployment').spec.template.spec.securityContext;
  expect([runAsNonRoot, runAsUser > 10_000, runAsGroup > 10_000]).toEqual([true, true, true]);
});

const environmentOf = ({ env }: { env: { name: string; value: string }[] }): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));

test('a replica may take the memory that it can need', () => {
  const mostMib = mostMemoryBytes(readConfig(environmentOf(container))) / MIB;
  expect(container.resources.limits.memory).toBe('2Gi');
  // The kernel's buffers of connections count too.
  expect(2 * 1024 - mostMib).toBeGreaterThan(256);
});

test('each probe uses the right address', () => {
  expect(container.livenessProbe.httpGet.path).toBe('/v1/health');
  expect(container.readinessProbe.httpGet.path).toBe('/v1/ready');
});

test('no timeout ends a replica before it has drained', () => {
  const { terminationGracePeriodSeconds } = objectOf('Deployment').spec.template.spec;
  const { drainSeconds } = readConfig(environmentOf(container));
  expect(terminationGracePeriodSeconds).toBeGreaterThan(
    drainSeconds + container.lifecycle.preStop.sleep.seconds,
  );
  const { environment, stop_grace_period } = services.sluice!;
  expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(Number(environment.DRAIN_SECONDS));
});

/** The image sets where the container listens and writes; `WORKERS` is of earlier versions; a mock is for tests only. */
const NOT_IN_COMPOSE = ['PORT', 'HOST', 'DATA_DIR', 'WORKERS', 'STRIPE_API_BASE'];

test('compose.yaml passes exactly the variables that the service reads', () => {
  const read = new Set<string>();
  readConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
  const given = [...Object.keys(services.sluice!.environment), ...NOT_IN_COMPOSE];
  expect(given.sort()).toEqual([...read].sort());
});

test('the service of compose.yaml starts with an empty .env', () => {
  const filled = (value: string) =>
    String(value).replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/g, (_, or) => or ?? 'x');
  const { environment } = services.sluice!;
  const bare = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
  expect(readConfig(bare)).toMatchObject({ signups: 'closed', bootstrapPlan: 'developer', logLevel: 'info' });
});

test('every service in compose.yaml that others wait for has a health check', async () => {
  const dockerfile = await read('Dockerfile');
  for (const { depends_on = {} } of Object.values(services))
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(condition).toBe('service_healthy');
      expect(services[name]!.healthcheck !== undefined || dockerfile.includes('\nHEALTHCHECK')).toBe(true);
    }
});

test('compose.yaml defines all volumes and networks that it uses', () => {
  for (const { volumes = [], networks } of Object.values(services)) {
    for (const name of networks) expect(Object.keys(compose.networks)).toContain(name);
    for (const volume of volumes) {
      const from = volume.split(':')[0]!;
      if (from.startsWith('.')) expect(existsSync(join(root, from))).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(from);
    }
  }
});

test('the image has the same version of Bun as the package', async () => {
  const { version } = await Bun.file(join(root, 'node_modules/bun/package.json')).json();
  expect(await read('Dockerfile')).toContain(`oven/bun:${version}-slim`);
});
