/** A placeholder while data loads. */
const WIDTHS = ['w70', 'w45', 'w60', 'w35', 'w55'];

export const Loading = ({ what, rows = 4 }: { what: string; rows?: number }) => (
  <div class="loading" role="status">
    <span class="unseen">Loading {what}…</span>
    {Array.from({ length: rows }, (_, i) => (
      <span key={i} class={`bone ${WIDTHS[i % WIDTHS.length]}`} />
    ))}
  </div>
);
