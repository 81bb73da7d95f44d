import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../../core/app-error.ts';
import { isTransient } from '../../db/client.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { ErrorStatus } from '../../web/pages/error-page.tsx';
import { renderErrorPage } from '../../web/render.tsx';
import type { Countable } from '../http/rate-limit.ts';
import { prepare } from './headers.ts';
import type { Visits } from './visit.ts';

/** Programs get the API's own answer; a person is told in words. */
export function answerNotFound(visits: Visits) {
  return (request: Request, response: Response<unknown, Countable>, next: NextFunction): void => {
    if (!isForPeople(request)) return next();
    response.locals.countAddress();
    sendFailure(visits, 404, request, response);
  };
}

export function answerFailed(visits: Visits, log: Logger) {
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (!isForPeople(request) || response.headersSent) return next(error);
    // In the words that programs get: whoever is refused is to cost next to nothing.
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return next(error);
    const isAway = isTransient(error) || (error instanceof AppError && error.code === 'UNAVAILABLE');
    log.error({ err: error }, 'page failed');
    if (isAway) response.setHeader('Retry-After', '5');
    sendFailure(visits, isAway ? 503 : 500, request, response);
  };
}

function sendFailure(visits: Visits, status: ErrorStatus, request: Request, response: Response): void {
  const { around } = visits.known(request, response);
  prepare(response, 'failed');
  response.status(status).type('html').send(renderErrorPage(status, around));
}

function isForPeople(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && request.accepts(['json', 'html']) === 'html' && !request.path.startsWith('/api/');
}
