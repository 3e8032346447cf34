/**
 * The one upload of each request. A body can be read by one reader only, so whoever answers for a handler that failed
 * has to go on where the handler stopped.
 */
import { Upload, type UploadLimits } from '../intake/upload.ts';

const uploads = new WeakMap<Request, Upload>();

/** The request's upload; `limits` and `renew` count for the first who asks for it. */
export function uploadOf(request: Request, limits: UploadLimits, renew?: () => void): Upload {
  const known = uploads.get(request);
  if (known) return known;
  const upload = new Upload(request.bodyUsed ? null : request.body, limits, renew);
  uploads.set(request, upload);
  return upload;
}
