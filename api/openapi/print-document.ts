import { ENDPOINTS } from '../endpoints.ts';
import { openApiDocument } from './openapi-document.ts';

// For tools that use the document without a running service, such as the generator of the client's types.
process.stdout.write(`${JSON.stringify(openApiDocument(ENDPOINTS), null, 2)}\n`);
