/** What has just been done, for everybody: it is there from the start, for what is new in it to be said. */
export const Said = ({ words }: { words: string }) => (
  <p role="status" class={words ? 'note' : 'unseen'}>
    {words}
  </p>
);
