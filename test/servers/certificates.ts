/** A certificate authority, with a certificate for 127.0.0.1 and one for a client, as PEM files. */
import { join } from 'node:path';

export interface Certificates {
  ca: string;
  /** Key and certificate in one file. */
  server: string;
  client: { cert: string; key: string };
}

const DAYS = ['-days', '2'];
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export async function newCertificates(folder: string): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const request = ['req', '-x509', ...KEY, ...DAYS];
  openssl([...request, '-subj', '/CN=ca', '-keyout', at('ca.key'), '-out', at('ca.pem')]);
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key')];
  const own = ['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:FALSE'];
  for (const [name, subject] of [
    ['server', '/CN=broker'],
    ['client', '/CN=gate'],
  ] as const)
    openssl([
      ...request,
      ...signed,
      ...own,
      '-subj',
      subject,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.pem`),
    ]);
  const text = async (name: string) => Bun.file(at(name)).text();
  await Bun.write(at('server.both'), `${await text('server.key')}${await text('server.pem')}`);
  return {
    ca: at('ca.pem'),
    server: at('server.both'),
    client: { cert: at('client.pem'), key: at('client.key') },
  };
}

function openssl(words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words]);
  if (exitCode !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
}
