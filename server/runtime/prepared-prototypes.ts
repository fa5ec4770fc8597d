import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The classes of one server, and the way to tie them to its app. */
interface PreparedPrototypes {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
  /** Must be called before the app gets its first request. */
  prepareFor(app: Express): void;
}

/**
 * Classes for the requests and answers of one server. Express gives each of them the prototypes of its app, and the engine then
 * makes its knowledge of these objects anew for every request. Objects of these classes have the prototypes from the beginning.
 */
export function preparedPrototypes(): PreparedPrototypes {
  class PreparedRequest extends IncomingMessage {}
  class PreparedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  return {
    IncomingMessage: PreparedRequest,
    ServerResponse: PreparedResponse,
    prepareFor: (app) => {
      Object.setPrototypeOf(PreparedRequest.prototype, app.request);
      Object.setPrototypeOf(PreparedResponse.prototype, app.response);
      Object.assign(app, { request: PreparedRequest.prototype, response: PreparedResponse.prototype });
    },
  };
}
