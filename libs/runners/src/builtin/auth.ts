/** `auth.*`: tokens. What a runner is asked for is kept in the job cache and told on the event bus: no place for a password or a token. */
import { defineModule } from '@natrium/modules';
import { notHere } from '../not-here.js';

export const authModule = defineModule('auth', {
  mk_token: notHere(
    'a password would be told with the run, on the event bus as well: natrium -T -a BACKEND and POST /login make tokens',
    'auth.mk_token',
  ),
  del_token: notHere(
    'a token would be told with the run, on the event bus as well: natriumctl token revoke and POST /logout end tokens',
    'auth.del_token',
  ),
});
