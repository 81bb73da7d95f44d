import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { AGENT_STATE_DIR } from '../../../core/invitation.ts';
import buildPrograms from '../../support/build-programs.ts';
import { createTestDatabase } from '../../support/database.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  image?: string;
  restart?: string;
  build?: { context: string; dockerfile: string; target: string };
  cap_add?: string[];
  cap_drop?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, unknown>;
}
// The file under test; what it should hold is what the tests say.
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);
const dockerfile = read('deploy/Dockerfile');

beforeAll(() => buildPrograms());

describe('compose.yaml', () => {
  test('has the database, the bus, both programs and two agents', () => {
    const named = Object.keys(compose.services);
    expect(named).toEqual(
      expect.arrayContaining(['database', 'nats', 'collector', 'api', 'agent-eu', 'agent-us', 'migrate']),
    );
    expect(compose.services.database?.image).toMatch(/^timescale\/timescaledb:/);
  });

  test('builds only targets that the Dockerfile has, from files that exist', () => {
    for (const [, { build }] of services) {
      if (!build) continue;
      expect(existsSync(join(ROOT, 'deploy', build.context, build.dockerfile))).toBe(true);
      expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${build.target}$`, 'm'));
    }
  });

  test('gives raw sockets to agents and no capability to any other program', () => {
    for (const [name, service] of services.filter(([, { build }]) => build !== undefined)) {
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.cap_add).toEqual(name.startsWith('agent') ? ['NET_RAW'] : undefined);
    }
  });

  test('publishes the API on loopback and nothing else', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    expect(published).toEqual([['api', '127.0.0.1:${API_PORT:-3000}:3000']]);
  });

  test('asks every program that goes on for its health, where it shows its metrics too', () => {
    const programs = services.filter(([, { build, restart }]) => build !== undefined && restart !== 'no');
    expect(programs.map(([name]) => name)).toEqual(['collector', 'api', 'agent-eu', 'agent-us']);
    for (const [name, { environment, healthcheck }] of programs) {
      expect([name, environment?.HEALTH_LISTEN]).toEqual([name, '0.0.0.0:9464']);
      const asked = /http:\/\/127\.0\.0\.1:(\d+)\/healthz/.exec(healthcheck?.test.join(' ') ?? '')?.[1];
      expect([name, asked]).toEqual([name, name === 'api' ? '3000' : '9464']);
    }
  });

  test('names only volumes, services and variables that are there', () => {
    const example = read('deploy/env/compose.env.example');
    for (const [, { volumes = [], depends_on: needs = {} }] of services) {
      for (const volume of volumes) expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
      for (const service of Object.keys(needs)) expect(compose.services).toHaveProperty(service);
    }
    for (const [, name] of read('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)) expect(example).toContain(`${name}=`);
  });

  test('tells the address at which people reach the service to all that make links', () => {
    for (const name of ['api', 'farwatch'])
      expect(compose.services[name]?.environment).toMatchObject({ PUBLIC_URL: '${PUBLIC_URL:-}' });
  });

  test('takes a password of any signs', async () => {
    const password = "/# ?@%41:'$";
    const database = await createTestDatabase();
    const { pool } = database;
    await pool.query(`create role compose_test login superuser password ${pg.escapeLiteral(password)}`);
    const given = Object.entries(compose.services.migrate?.environment ?? {}).map(([name, text]): [string, string] => [
      name,
      text.replace('${POSTGRES_PASSWORD}', () => password),
    ]);
    const env = new Map(given);
    const { host, pathname } = new URL(database.url);
    const url = env
      .get('DATABASE_URL')
      ?.replace('//farwatch', '//compose_test')
      .replace('database:5432/farwatch', host + pathname);
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'migrate'], {
      encoding: 'utf8',
      env: { ...Object.fromEntries(env), DATABASE_URL: url },
    });
    await pool.query('drop role compose_test');
    await database.drop();
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: 'up to date\n' });
  });

  test('is accepted by docker compose', (context) => {
    const client = spawnSync('docker', ['compose', 'version']);
    if (client.status !== 0) return context.skip('docker compose is not installed here');
    const { status, stderr } = spawnSync('docker', ['compose', '-f', 'deploy/compose.yaml', 'config', '--quiet'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, POSTGRES_PASSWORD: 'x' },
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});

describe('Dockerfile', () => {
  test('copies only files that the repository has', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )*(.+) \S+$/gm)].flatMap(
      ([, sources]) => sources?.split(' ') ?? [],
    );
    expect(copied).toContain('package-lock.json');
    for (const source of copied.filter((name) => !name.includes('*'))) {
      expect(existsSync(join(ROOT, source)), source).toBe(true);
    }
  });

  test('starts programs that the build makes, as an unprivileged user', () => {
    const programs = [...dockerfile.matchAll(/dist\/\w+\/main\.js/g)].map(([path]) => path);
    expect(new Set(programs).size).toBe(4);
    for (const path of programs) expect(existsSync(join(ROOT, path)), path).toBe(true);
    const stages = dockerfile.split(/^FROM /m).filter((stage) => stage.includes('USER root'));
    for (const stage of stages) expect(stage.lastIndexOf('USER node')).toBeGreaterThan(stage.lastIndexOf('USER root'));
  });

  test('has an entry point for the agent that the shell understands and may run', () => {
    const script = join(ROOT, 'deploy/agent-entrypoint.sh');
    expect(spawnSync('sh', ['-n', script]).status).toBe(0);
    expect(statSync(script).mode & 0o111).toBe(0o111);
  });
});

describe('farwatch-agent.service', () => {
  const unit = read('deploy/systemd/farwatch-agent.service');

  test('starts the agent that the build makes, with raw sockets as its only capability', () => {
    expect(/^ExecStart=\/usr\/bin\/node .*?(dist\S+)$/m.exec(unit)?.[1]).toBe('dist/agent/main.js');
    expect(existsSync(join(ROOT, 'dist/agent/main.js'))).toBe(true);
    expect(unit).toMatch(/^AmbientCapabilities=CAP_NET_RAW$/m);
    expect(unit).toMatch(/^CapabilityBoundingSet=CAP_NET_RAW$/m);
  });

  test('keeps its state where the command of an invitation and the image do', () => {
    const [, folder] = /^StateDirectory=(\S+)$/m.exec(unit) ?? [];
    expect(`/var/lib/${folder}`).toBe(AGENT_STATE_DIR);
    expect(/^ENV FARWATCH_STATE_DIR=(\S+)$/m.exec(dockerfile)?.[1]).toBe(AGENT_STATE_DIR);
    expect(compose.services['agent-eu']?.volumes).toEqual([`agent-eu:${AGENT_STATE_DIR}`]);
  });

  test('reads settings whose example is here', () => {
    const file = /^EnvironmentFile=(\S+)$/m.exec(unit)?.[1] ?? '';
    expect(existsSync(join(ROOT, 'deploy/env', `${basename(file)}.example`))).toBe(true);
  });

  test('is accepted by systemd-analyze', (context) => {
    const verify = spawnSync('systemd-analyze', ['verify', join(ROOT, 'deploy/systemd/farwatch-agent.service')], {
      encoding: 'utf8',
    });
    if (verify.error) return context.skip('systemd is not installed here');
    expect(`${verify.stdout}${verify.stderr}`.split('\n').filter((line) => line.includes('farwatch-agent'))).toEqual(
      [],
    );
  });
});
