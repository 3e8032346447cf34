/** Sign-in: an e-mail address, then the code that was sent to it. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { askCode, openSession } from '../api.ts';
import { Brand } from '../parts/frame/brand.tsx';
import { FailureNote } from '../parts/frame/failure.tsx';
import { begin } from '../session.ts';
import { useAction } from '../use-action.ts';

const CODE_DIGITS = 6;

export function SignIn({ isEnded }: { isEnded: boolean }) {
  const [email, setEmail] = useState('');
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Sluice';
  }, []);
  return (
    <main class="sign-in">
      <Brand />
      {isAsked ? (
        <CodeForm email={email} back={() => setAsked(false)} />
      ) : (
        <EmailForm email={email} setEmail={setEmail} isEnded={isEnded} next={() => setAsked(true)} />
      )}
    </main>
  );
}

interface EmailProps {
  email: string;
  setEmail: (email: string) => void;
  isEnded: boolean;
  next: () => void;
}

function EmailForm({ email, setEmail, isEnded, next }: EmailProps) {
  const { isActing, failure, run } = useAction();
  const field = useFocus();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void run(async () => {
      await askCode(email.trim());
      next();
    });
  };
  return (
    <form onSubmit={send} class="panel">
      <h1>Sign in</h1>
      {isEnded && (
        <p class="note" role="status">
          You are signed out.
        </p>
      )}
      <p>You get a code by mail, or from the server’s log if it sends no mail. There is no password.</p>
      <label for="email">E-mail address</label>
      <input
        ref={field}
        id="email"
        type="email"
        name="email"
        autocomplete="email"
        required
        value={email}
        onInput={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" disabled={isActing}>
        {isActing ? 'Sending…' : 'Send the code'}
      </button>
    </form>
  );
}

function CodeForm({ email, back }: { email: string; back: () => void }) {
  const [code, setCode] = useState('');
  const { isActing, failure, run } = useAction();
  const field = useFocus();
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    void run(async () =>
      begin({ ...(await openSession(email.trim(), code.replace(/\s/g, ''))), email: email.trim() }),
    );
  };
  return (
    <form onSubmit={open} class="panel">
      <h1>Enter the code</h1>
      <p role="status">
        If <b>{email}</b> can sign in, we have sent six digits to it. Without a mail server they are in the
        server’s log. An address gets at most five codes an hour, each valid for ten minutes.
      </p>
      <label for="code">Six digits</label>
      <input
        ref={field}
        id="code"
        class="code"
        name="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        pattern="\s*(\d\s*){6}"
        title={`${CODE_DIGITS} digits`}
        required
        value={code}
        onInput={({ currentTarget }) => setCode(currentTarget.value)}
      />
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" disabled={isActing}>
        {isActing ? 'One moment…' : 'Sign in'}
      </button>
      <button type="button" class="quiet" onClick={back}>
        Use another address, or get a new code
      </button>
    </form>
  );
}

/** Focuses the field when the page opens. */
function useFocus() {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return field;
}
