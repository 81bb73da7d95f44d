import type { User, UserLink } from '../../../core/user.ts';
import { act } from '../client.ts';
import { Fault } from '../parts/notice.tsx';
import { useChange } from '../parts/use-action.ts';
import { useSession } from '../session.tsx';

/** Makes another link for a user: his invitation, or for another password. */
export function LinkButton({ user, onLink }: { user: User; onLink: (link: UserLink) => void }) {
  const { session, refusal } = useSession();
  const { isBusy, error, run } = useChange();
  const { id: user_id, name, has_password: hasPassword } = user;
  const locked = refusal('users.write') ?? whyNone(user, session.user?.id);
  return (
    <>
      <button
        type="button"
        class="quiet small"
        disabled={isBusy || locked !== undefined}
        title={locked}
        onClick={() => void run(async () => onLink(await act<UserLink>('resendInvitation', { user_id })))}
      >
        {hasPassword ? 'Password link' : 'New invitation'}
        <span class="unseen"> for {name}</span>
      </button>
      <Fault error={error} />
    </>
  );
}

function whyNone({ id, is_owner: isOwner, is_active: isActive, has_password: hasPassword }: User, own?: number) {
  if (id === own) return 'Your own password is changed in your account';
  if (isOwner) return 'The owner’s link is made on the command line';
  return hasPassword && !isActive ? 'The user is switched off' : undefined;
}
