/** Says what has just been done. It is always on the page, so that screen readers announce a change. */
export const StatusMessage = ({ text }: { text: string }) => (
  <p role="status" class={text ? 'note' : 'unseen'}>
    {text}
  </p>
);
