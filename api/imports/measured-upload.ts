import type { Request, Response } from 'express';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import { inSpan } from '../../shared/telemetry/tracing.ts';
import type { ApiContext } from '../context.ts';
import type { UploadResult } from '../operations/api-metrics.ts';
import { ProblemError } from '../http/problem.ts';
import { receiveUpload } from './receive-upload.ts';
import type { Upload } from './upload-receiver.ts';

/** Receives an upload, and counts and times it. @throws what `receiveUpload` throws. */
export async function measuredUpload(api: ApiContext, request: Request, response: Response): Promise<Upload> {
  const { uploads, uploadsRunning, uploadBytes } = api.metrics;
  const startedMs = performance.now();
  let result: UploadResult = 'failed';
  uploadsRunning.inc();
  try {
    const upload = await inSpan(api.tracing, 'store upload', currentSpan(), async (span) => {
      const stored = await receiveUpload(request, response, api.storage, api.config.limits.maxPackageBytes);
      span.setAttribute('import.size_bytes', stored.sizeBytes);
      return stored;
    });
    result = 'stored';
    uploadBytes.inc(upload.sizeBytes);
    return upload;
  } catch (error) {
    if (error instanceof ProblemError) result = 'refused';
    throw error;
  } finally {
    uploadsRunning.dec();
    uploads.observe({ result }, (performance.now() - startedMs) / 1_000);
  }
}
