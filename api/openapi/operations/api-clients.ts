import { DELETED, json, jsonRequest, ref } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { PAGE } from '../parameters.ts';
import { page } from '../schema-parts.ts';

const tag = 'API clients';

/** A vendor's API keys, and the log of who made and ended them. */
export const API_CLIENT_OPERATIONS: readonly Operation[] = [
  {
    id: 'registerApiClient',
    method: 'post',
    path: '/api/v8.0/{orgId}/registerApiClient/{moduleId}',
    tag,
    summary: 'Make an API key',
    description: 'The only answer that has the key. An empty body is taken whatever its content type.',
    access: 'vendorAdmin',
    body: jsonRequest('What differs from the usual.', ref('RegisterApiClient'), false),
    answers: { 200: json('The client with its key.', ref('NewApiKey'), ['Cache-Control']) },
    problems: ['request-too-large'],
  },
  {
    id: 'listApiClients',
    method: 'get',
    path: '/api/v8.0/{orgId}/apiClients/{moduleId}',
    tag,
    summary: 'List API keys',
    description: 'Newest first; never a secret.',
    access: 'vendorMember',
    parameters: PAGE,
    answers: { 200: json('A page of keys.', page(ref('ApiKey'), 'API keys.')) },
  },
  {
    id: 'revokeApiClient',
    method: 'delete',
    path: '/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}',
    tag,
    summary: 'Revoke an API client',
    description: 'All its keys end everywhere within a second.',
    access: 'vendorAdmin',
    answers: { 204: DELETED },
  },
  {
    id: 'rotateApiClient',
    method: 'post',
    path: '/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}/rotate',
    tag,
    summary: 'Rotate an API key',
    description: 'The old key works on for as long as the body says; without a body it ends at once.',
    access: 'vendorAdmin',
    body: jsonRequest('How long both keys work.', ref('RotateApiClient'), false),
    answers: { 200: json('The client with its new key.', ref('NewApiKey'), ['Cache-Control']) },
    problems: ['request-too-large'],
  },
  {
    id: 'listAuditLog',
    method: 'get',
    path: '/api/v8.0/{orgId}/auditLog',
    tag,
    summary: 'Read the audit log',
    description: 'Newest first.',
    access: 'vendorMember',
    parameters: PAGE,
    answers: { 200: json('A page of entries.', page(ref('AuditEntry'), 'Entries of the log.')) },
  },
];
