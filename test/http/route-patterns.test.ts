import { describe, expect, test } from 'bun:test';
import { routePatterns, UNMATCHED } from '../../src/http/route-patterns.ts';
import { Service } from './service.ts';

const patternOf = routePatterns([
  '/',
  '/v1/jobs',
  '/v1/jobs/:id',
  '/v1/schema/:source/history',
  '/v1/schema/*',
  '/v1/schema/:source',
]);

describe('a URL has the pattern', () => {
  test.each([
    ['http://localhost/', '/'],
    ['http://localhost', UNMATCHED],
    ['http://a:8080/v1/jobs?source=secret', '/v1/jobs'],
    ['http://a/v1/jobs/?x=/y', '/v1/jobs'],
    ['http://a/v1/jobs/req_1#x', '/v1/jobs/{id}'],
    ['http://a/v1/schema/my%20secret', '/v1/schema/{source}'],
    ['http://a/v1/schema/x/history', '/v1/schema/{source}/history'],
    ['http://a/v1/schema/x/history/y', '/v1/schema/*'],
    ['http://a/v1/secret', UNMATCHED],
    ['http://a/__proto__', UNMATCHED],
    ['http://a/v1/jobs/%00', '/v1/jobs/{id}'],
  ])('%s as %s', (url, pattern) => {
    expect(patternOf(url)).toBe(pattern);
  });
});

test('every route of the application has its own pattern', () => {
  const paths = [...new Set(new Service().app.routes.map(({ path }) => path))].filter(
    path => !path.endsWith('*'),
  );
  const patternOf = routePatterns(paths);
  const patterns = paths.map(path => patternOf(`http://localhost${path.replace(/:\w+/g, 'secret')}`));
  expect(patterns).toEqual(paths.map(path => path.replace(/:(\w+)/g, '{$1}')));
});
