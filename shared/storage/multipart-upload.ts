import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import type { PartReader } from './part-buffers.ts';

/** Where an object goes. */
interface ObjectPlace {
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * Stores a body of unknown length, part after part, from one buffer: the SDK's own way gathers each part anew and
 * holds three times as much.
 * @param buffer the first part; then it takes each of the others
 * @returns the length in bytes
 * @throws what the body or the server throws; then nothing is stored
 */
export async function uploadInParts(
  client: S3Client,
  place: ObjectPlace,
  buffer: Buffer,
  body: PartReader,
): Promise<number> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...place, ChecksumAlgorithm: 'CRC32' }),
  );
  const upload = { ...place, UploadId };
  try {
    const Parts: CompletedPart[] = [];
    let sizeBytes = 0;
    for (let length = buffer.length; length > 0; length = await body.fill(buffer)) {
      const PartNumber = Parts.length + 1;
      const Body = buffer.subarray(0, length);
      const { ETag, ChecksumCRC32 } = await client.send(
        new UploadPartCommand({ ...upload, PartNumber, Body }),
      );
      Parts.push({ PartNumber, ETag, ChecksumCRC32 });
      sizeBytes += length;
    }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    return sizeBytes;
  } catch (error) {
    // What stays when this fails as well is removed by the collection of garbage.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}
