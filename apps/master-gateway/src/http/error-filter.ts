/** What a handler throws, as an answer: a status and a page for what was refused, and one sentence of JSON for a defect of ours. */
import { STATUS_CODES } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  InternalServerErrorException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { sendError } from './answers.js';
import { requestIdOf } from './guards.js';

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerError(error, http.getRequest<Request>(), http.getResponse<Response>(), this.log);
  }
}

export function answerError(error: unknown, req: Request, res: Response, log: Logger): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const status = statusOf(error);
  if (status === undefined || error instanceof InternalServerErrorException) {
    // A runner that is not there is Salt's 500, with its sentence.
    const isKnown = error instanceof InternalServerErrorException;
    if (!isKnown) log.error({ err: error, http_request: requestIdOf(res) }, 'an HTTP request failed');
    const sentence = isKnown ? error.message : 'An unexpected error occurred';
    res.status(500).setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ status: 500, return: sentence }));
    return;
  }
  const message = error instanceof Error ? error.message : '';
  const said = status === 404 ? `The path '${req.path.slice(0, 200)}' was not found.` : message;
  sendError(res, status, STATUS_CODES[status] ?? 'Error', said);
}

/** Ours carry a status, and so do those of the body reader. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
