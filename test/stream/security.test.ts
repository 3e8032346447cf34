/** A gate at a broker with TLS, that asks for a password or a certificate, and has access lists. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { type Certificates, newCertificates } from '../servers/certificates.ts';
import { KafkaServer } from '../servers/kafka.ts';
import { eventually, newFolder } from '../servers/process.ts';
import { GateData } from './gate.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';

const LOGIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
const SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required';
const USERS = 'username="admin" password="admin-secret" user_admin="admin-secret" user_gate="gate-secret"';
/** Of the user `gate`, by mechanism. */
const PASSWORDS = {
  plain: 'gate-secret',
  'scram-sha-256': 'scram-256-secret',
  'scram-sha-512': 'scram-512-secret',
};
type Mechanism = keyof typeof PASSWORDS;
const MECHANISMS = Object.keys(PASSWORDS) as Mechanism[];

describeWithKafka('with TLS, passwords and access lists', () => {
  let kafka: KafkaServer;
  const data = new GateData({ KAFKA_PASSWORD: PASSWORDS.plain });
  const folder = newFolder('certificates');
  let ours: Certificates;

  beforeAll(async () => {
    ours = await newCertificates(folder);
    kafka = await KafkaServer.start({
      protocol: 'SASL_SSL',
      more: 'SSL',
      format: MECHANISMS.filter(each => each !== 'plain').flatMap(each => [
        '--add-scram',
        `${each.toUpperCase()}=[name=gate,password=${PASSWORDS[each]}]`,
      ]),
      properties: [
        'ssl.keystore.type=PEM',
        `ssl.keystore.location=${ours.server}`,
        'ssl.truststore.type=PEM',
        `ssl.truststore.location=${ours.ca}`,
        'listener.name.more.ssl.client.auth=required',
        'listener.name.more.ssl.principal.mapping.rules=RULE:^CN=(.*)$/$1/',
        'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
        'sasl.mechanism.inter.broker.protocol=PLAIN',
        `listener.name.clients.plain.sasl.jaas.config=${LOGIN} ${USERS};`,
        `listener.name.clients.scram-sha-256.sasl.jaas.config=${SCRAM};`,
        `listener.name.clients.scram-sha-512.sasl.jaas.config=${SCRAM};`,
        'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users=User:admin;User:ANONYMOUS',
      ],
      client: {
        ssl: { ca: [readFileSync(ours.ca, 'utf8')] },
        sasl: { mechanism: 'plain', username: 'admin', password: 'admin-secret' },
      },
      consumer: [
        'security.protocol=SASL_SSL',
        'ssl.truststore.type=PEM',
        `ssl.truststore.location=${ours.ca}`,
        'sasl.mechanism=PLAIN',
        `sasl.jaas.config=${LOGIN} username="admin" password="admin-secret";`,
      ],
    });
    await kafka.createTopics(['orders', 'orders.clean', 'orders.held']);
    await allow(AclResourceTypes.TOPIC, 'orders', [AclOperationTypes.READ]);
    await allow(AclResourceTypes.TOPIC, 'orders.held', [AclOperationTypes.WRITE]);
    await allow(AclResourceTypes.TOPIC, 'orders.clean', [AclOperationTypes.DESCRIBE]);
    await allow(AclResourceTypes.GROUP, 'gates', [AclOperationTypes.READ]);
    await allow(AclResourceTypes.TRANSACTIONAL_ID, 'sluice-gates-', [AclOperationTypes.WRITE]);
  }, STARTS_MS);

  afterAll(async () => {
    await kafka?.remove();
    data.remove();
    rmSync(folder, { recursive: true });
  });

  const allow = (resourceType: AclResourceTypes, resourceName: string, operations: AclOperationTypes[]) =>
    kafka.withAdmin(admin =>
      admin.createAcls({
        acl: operations.map(operation => ({
          resourceType,
          resourceName,
          resourcePatternType:
            resourceType === AclResourceTypes.TRANSACTIONAL_ID
              ? ResourcePatternTypes.PREFIXED
              : ResourcePatternTypes.LITERAL,
          principal: 'User:gate',
          host: '*',
          operation,
          permissionType: AclPermissionTypes.ALLOW,
        })),
      }),
    );

  const configOf = (changes: object) => ({
    brokers: [kafka.address],
    group: 'gates',
    inputs: [{ topic: 'orders', source: 'orders', clean: 'orders.clean', held: 'orders.held' }],
    window: { rows: 10, ms: 100 },
    tls: { ca: ours.ca },
    ...changes,
  });

  const saslOf = (mechanism: Mechanism, password: string = PASSWORDS[mechanism]) => ({
    sasl: { mechanism, username: 'gate', password },
  });

  let rows = 0;
  async function produce(): Promise<void> {
    const messages = Array.from({ length: 20 }, () => ({ value: JSON.stringify({ id: rows++ }) }));
    const producer = kafka.client.producer();
    await producer.connect();
    await producer.send({ topic: 'orders', messages });
    await producer.disconnect();
  }

  /** All that was produced, in its order. */
  const passed = async () => {
    const clean = await eventually(async () => {
      const read = await kafka.read('orders.clean');
      if (read.length < rows) throw new Error(`${read.length} rows`);
      return read;
    }, STARTS_MS);
    expect(clean.map(({ value }) => value)).toEqual(
      Array.from({ length: rows }, (_, id) => JSON.stringify({ id })),
    );
  };

  describe('what ends the start with one line', () => {
    const refused = async (config: object, line: RegExp) => {
      const gate = await data.begin(config);
      const exited = await Promise.race([
        gate.exited,
        gate.says('it is tried again').then(() => gate.kill()),
      ]);
      expect(exited, gate.said).toBe(3);
      expect(gate.stderr).toMatch(line);
      expect(gate.stderr.trim().split('\n')).toHaveLength(1);
      return gate.stderr;
    };

    test.each(MECHANISMS)(
      'a wrong password with %s',
      async mechanism => {
        const line = /^sluice: cannot read the topic orders: .*[Aa]uthentication failed/;
        expect(await refused(configOf(saslOf(mechanism, 'mistaken')), line)).not.toContain('mistaken');
      },
      STARTS_MS,
    );

    test(
      'a certificate authority that is not that of the broker',
      () =>
        refused(
          configOf({ ...saslOf('plain'), tls: { ca: ours.client.cert } }),
          /^sluice: cannot read the topic orders: .*certificate/,
        ),
      STARTS_MS,
    );

    test(
      'a server name that the certificate does not have',
      () =>
        refused(
          configOf({ ...saslOf('plain'), tls: { ca: ours.ca, server_name: 'elsewhere.example' } }),
          /^sluice: cannot read the topic orders: .*elsewhere\.example/,
        ),
      STARTS_MS,
    );
  });

  test(
    'rows wait until the gate may write them',
    async () => {
      await produce();
      const gate = await data.start(configOf(saslOf('plain', '{{KAFKA_PASSWORD}}')));
      expect(await gate.says('nothing is lost')).toMatchObject({ kind: 'not_authorized', topic: 'orders' });
      await allow(AclResourceTypes.TOPIC, 'orders.clean', [AclOperationTypes.WRITE]);
      await passed();
      expect(await gate.stop()).toBe(0);
    },
    STARTS_MS,
  );

  test.each(['scram-sha-256', 'scram-sha-512'] as const)(
    'rows pass with the password of %s',
    async mechanism => {
      await produce();
      const gate = await data.start(configOf(saslOf(mechanism)));
      await passed();
      expect(await gate.stop()).toBe(0);
    },
    STARTS_MS,
  );

  test(
    'rows pass with a certificate of the client',
    async () => {
      await produce();
      const tls = { ca: ours.ca, ...ours.client };
      const gate = await data.start(configOf({ brokers: [kafka.moreAddress], tls }));
      await passed();
      expect(await gate.stop()).toBe(0);
    },
    STARTS_MS,
  );
});
