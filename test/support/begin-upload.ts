import http from 'node:http';

const PIECE = Buffer.alloc(256 * 1024, 'x');
const HEAD =
  '--begun\r\nContent-Disposition: form-data; name="file"; filename="package.zip"\r\nContent-Type: application/zip\r\n\r\n';

/**
 * Sends the beginning of an upload, at least this much of its file, as fast as it is taken. The upload stays open
 * until the request is destroyed.
 */
export async function beginUpload(
  url: string,
  authorization: string,
  fileBytes: number,
): Promise<http.ClientRequest> {
  const request = http.request(url, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'multipart/form-data; boundary=begun' },
  });
  request.on('error', () => undefined);
  request.write(HEAD);
  for (let sent = 0; sent < fileBytes; sent += PIECE.length)
    await new Promise((resolve) => request.write(PIECE, resolve));
  return request;
}
