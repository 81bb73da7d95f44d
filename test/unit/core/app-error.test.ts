import { expect, it } from 'vitest';
import { AppError, problemOf } from '../../../core/app-error.ts';

it.each([
  [['name'], 'Name is required', 'Name is required'],
  [['name'], 'must not be so', 'name must not be so'],
  [['type_data', 'hosts', 0, 'port'], 'Too big', 'type_data.hosts.0.port: Too big'],
  [['type_data', 'hosts'], 'must be an array', 'type_data.hosts must be an array'],
  [[], 'start_ts must be less than end_ts', 'start_ts must be less than end_ts'],
  [[], 'must be whole', 'must be whole'],
])('a fault at %j that says %j is told as %j', (path, message, told) => {
  expect(problemOf(path, message)).toEqual({ path: path.join('.'), message: told });
});

it('knows its status, its details and its cause', () => {
  const cause = new Error('below');
  const error = new AppError('UNAVAILABLE', 'away', { cause, details: [{ path: 'database', message: 'away' }] });
  expect([error.httpStatus, error.details.length, error.cause, error.message]).toEqual([503, 1, cause, 'away']);
  expect(new AppError('BAD_REQUEST', 'x').details).toEqual([]);
});
