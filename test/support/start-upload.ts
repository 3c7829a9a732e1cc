import http from 'node:http';

const PIECE = Buffer.alloc(256 * 1024, 'x');
const HEAD =
  '--started\r\nContent-Disposition: form-data; name="file"; filename="package.zip"\r\nContent-Type: application/zip\r\n\r\n';

/**
 * Sends the start of an upload, at least this much of its file, as fast as it is read. The upload stays open
 * until the request is destroyed.
 */
export async function startUpload(
  url: string,
  authorization: string,
  fileBytes: number,
): Promise<http.ClientRequest> {
  const request = http.request(url, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'multipart/form-data; boundary=started' },
  });
  request.on('error', () => undefined);
  request.write(HEAD);
  for (let sent = 0; sent < fileBytes; sent += PIECE.length)
    await new Promise((resolve) => request.write(PIECE, resolve));
  return request;
}
