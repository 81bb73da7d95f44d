/** The import picture of the house style: program → shared → core, never sideways, never a cycle. */
const only = (from, allowed, comment) => ({
  name: `${from.replace(/\W/g, '-')}-imports`,
  comment,
  severity: 'error',
  from: { path: `^${from}/` },
  to: {
    path: '^(core|proto|identity|runtime|db|agent|collector|api|web|cli|deploy|test)/',
    pathNot: `^(${allowed.join('|')})/`,
  },
});

module.exports = {
  forbidden: [
    only('core', ['core'], 'core is pure vocabulary'),
    only('proto', ['proto', 'core'], 'wire formats know only the vocabulary'),
    only('identity', ['identity'], 'certificates and credentials know nothing of monitoring'),
    only('runtime', ['runtime'], 'runtime knows nothing of monitoring'),
    only('db', ['db', 'core'], 'SQL knows only the vocabulary'),
    only('agent', ['agent', 'core', 'proto', 'identity', 'runtime'], 'proto in, proto out: no database, no HTTP API'),
    only('agent/probes', ['agent/probes', 'core'], 'a probe stands alone'),
    only('collector', ['collector', 'core', 'proto', 'identity', 'db', 'runtime'], 'no program imports another'),
    only('api', ['api', 'core', 'db', 'runtime', 'web'], 'no program imports another'),
    only('web', ['web', 'core'], 'what a person sees'),
    only('cli', ['cli', 'core', 'proto', 'identity', 'db', 'runtime'], 'the farwatch command'),
    only('deploy', ['deploy', 'runtime'], 'the launcher starts processes and imports none'),
    {
      name: 'core-is-pure',
      severity: 'error',
      from: { path: '^core/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional'], pathNot: 'node_modules/(zod|rrule-temporal|croner)/' },
    },
    {
      name: 'core-pure-node-only',
      severity: 'error',
      from: { path: '^core/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(net|crypto|url|util)$' },
    },
    { name: 'nobody-imports-main', severity: 'error', from: {}, to: { path: '(^|/)main\\.ts$' } },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-dev-dependencies-in-programs',
      severity: 'error',
      from: { path: '^(core|proto|identity|runtime|db|agent|collector|api|web|cli)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.farwatch)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
