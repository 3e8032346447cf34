/**
 * One upload for each request. A body has only one reader, so the error handler must continue where the failed handler
 * stopped.
 */
import { Upload, type UploadLimits } from '../intake/upload.ts';

const uploads = new WeakMap<Request, Upload>();

/** The upload of a request. `limits` of the first call apply. */
export function uploadOf(request: Request, limits: UploadLimits): Upload {
  const known = uploads.get(request);
  if (known) return known;
  const upload = new Upload(request.bodyUsed ? null : request.body, limits);
  uploads.set(request, upload);
  return upload;
}
