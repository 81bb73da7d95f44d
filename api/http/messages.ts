import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

/** Express has both as properties of an application (its API, "app.request"); its types do not know them. */
interface Prototypes {
  request: Request;
  response: Response;
}

/**
 * What node:http shall make requests and answers of for this application. Express gives each a prototype of its own, and an
 * object whose prototype changes is slow from then on, here three quarters of all that Express costs; an object that was
 * born with it is not changed.
 */
export function messagesFor(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
} {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<IncomingMessage> {}
  // Express sets both when it makes an application.
  const prototypes = app as unknown as Prototypes;
  Object.setPrototypeOf(AppRequest.prototype, prototypes.request);
  Object.setPrototypeOf(AppResponse.prototype, prototypes.response);
  // The classes' prototypes are what Express's were, and inherit the rest.
  prototypes.request = AppRequest.prototype as Request;
  prototypes.response = AppResponse.prototype as Response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
