import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { messagesFor } from '../../../../api/http/messages.ts';

it('makes requests and answers that have the prototypes which Express would give them', () => {
  const app = express();
  const messages = messagesFor(app);
  const request = new messages.IncomingMessage(new Socket());
  const response = new messages.ServerResponse(request);
  expect(app).toHaveProperty('request', Object.getPrototypeOf(request));
  expect(app).toHaveProperty('response', Object.getPrototypeOf(response));
  // What Express adds, and what node:http has.
  expect(request).toMatchObject({ app, get: expect.any(Function) as unknown, url: '' });
  expect(response).toMatchObject({ app, json: expect.any(Function) as unknown, statusCode: 200 });
  expect(response).toBeInstanceOf(ServerResponse);
});
