import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Response } from 'express';

/** A response of Express to a request that nobody has sent. */
export function anyResponse(): Response {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  return Object.setPrototypeOf(response, express.response) as Response;
}
