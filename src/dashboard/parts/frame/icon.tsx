/** A decorative icon; the text beside it has the meaning. */
export const Icon = ({ path }: { path: string }) => (
  <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <path d={path} />
  </svg>
);
