/** A gate at a broker that asks for a password and has access lists. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { KafkaServer } from '../servers/kafka.ts';
import { eventually } from '../servers/process.ts';
import { GateData } from './gate.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';

const LOGIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
const USERS = 'username="admin" password="admin-secret" user_admin="admin-secret" user_gate="gate-secret"';

describeWithKafka('with SASL PLAIN and access lists', () => {
  let kafka: KafkaServer;
  const data = new GateData({ KAFKA_PASSWORD: 'gate-secret' });

  beforeAll(async () => {
    kafka = await KafkaServer.start({
      protocol: 'SASL_PLAINTEXT',
      properties: [
        'sasl.enabled.mechanisms=PLAIN',
        'sasl.mechanism.inter.broker.protocol=PLAIN',
        `listener.name.clients.plain.sasl.jaas.config=${LOGIN} ${USERS};`,
        'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users=User:admin;User:ANONYMOUS',
      ],
      client: { sasl: { mechanism: 'plain', username: 'admin', password: 'admin-secret' } },
      consumer: [
        'security.protocol=SASL_PLAINTEXT',
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

  const configOf = (password: string) => ({
    brokers: [kafka.address],
    group: 'gates',
    inputs: [{ topic: 'orders', source: 'orders', clean: 'orders.clean', held: 'orders.held' }],
    window: { rows: 10, ms: 100 },
    sasl: { mechanism: 'plain', username: 'gate', password },
  });

  test(
    'a wrong password ends the start with a line that says so',
    async () => {
      const gate = await data.begin(configOf('wrong'));
      expect(await gate.exited).toBe(3);
      expect(gate.stderr).toMatch(/^sluice: .*Authentication failed/m);
      expect(gate.stderr).not.toContain('wrong');
    },
    STARTS_MS,
  );

  test(
    'rows wait until the gate may write them',
    async () => {
      const rows = Array.from({ length: 20 }, (_, i) => ({ value: JSON.stringify({ id: i }) }));
      const producer = kafka.client.producer();
      await producer.connect();
      await producer.send({ topic: 'orders', messages: rows });
      await producer.disconnect();
      const gate = await data.start(configOf('{{KAFKA_PASSWORD}}'));
      expect(await gate.says('nothing is lost')).toMatchObject({ kind: 'not_authorized', topic: 'orders' });
      await allow(AclResourceTypes.TOPIC, 'orders.clean', [AclOperationTypes.WRITE]);
      const clean = await eventually(async () => {
        const read = await kafka.read('orders.clean');
        if (read.length < rows.length) throw new Error(`${read.length} rows`);
        return read;
      }, STARTS_MS);
      expect(clean.map(({ value }) => value)).toEqual(rows.map(({ value }) => value));
      expect(await gate.stop()).toBe(0);
    },
    STARTS_MS,
  );
});
