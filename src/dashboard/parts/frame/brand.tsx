export const Brand = () => (
  <div class="brand">
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="brand-ground" />
      <path d="M7 8v16M25 8v16" class="brand-posts" />
      <path d="M12 8h8v8h-8z" class="brand-gate" />
      <path d="M11 22c2-2 3-2 5 0s3 2 5 0" class="brand-water" />
    </svg>
    <span>Sluice</span>
  </div>
);
