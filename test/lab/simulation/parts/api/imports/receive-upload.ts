import type * as product from '../../../../../../api/imports/receive-upload.ts';
import { uploadOf } from '../../../simulated-request.ts';

export * from '../../../../../../api/imports/receive-upload.ts';

/** The body of the request is a value: it is stored as it is. */
export const receivePackage: typeof product.receivePackage = async (api, request) => {
  const { body, upload } = uploadOf(request);
  await api.storage.put(upload.archiveKey, body);
  return upload;
};
