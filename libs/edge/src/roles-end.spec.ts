/** Rules of the log about the roles document: whoever has the root key hears of its end in time, and not all the time. */
import type { RolesDocument } from '@natrium/envelope';
import { RolesEnd } from './roles-end.js';

const DAY_MS = 86_400_000;
const END = 1_795_000_000_000;
const document = { serial: 3, notAfter: END } as RolesDocument;

function aLook() {
  const said: string[] = [];
  const end = new RolesEnd({
    warn: (line: string) => void said.push(`warn ${line}`),
    error: (line: string) => void said.push(`error ${line}`),
  } as ConstructorParameters<typeof RolesEnd>[0]);
  return (daysBefore: number) => {
    end.look(document, END - daysBefore * DAY_MS);
    return said.splice(0);
  };
}

it('says nothing of one that counts for 60 days, and then once a day how many are left and what to do', () => {
  const look = aLook();
  expect(look(90)).toEqual([]);
  expect(look(60)).toEqual([]);
  expect(look(59.5)).toEqual([
    'warn the roles document 3 ends in 59 days, and then no service is heard any more: on the master, with the root key: natriumctl roles renew',
  ]);
  expect(look(59)).toEqual([]);
  expect(look(58.5)).toHaveLength(1);
  expect(look(58.4)).toEqual([]);
});

it('says of one that has ended at each look that it has', () => {
  const look = aLook();
  expect(look(1)[0]).toMatch(/^warn .* ends in 1 days/);
  for (const daysAfter of [0.01, 0.02])
    expect(look(-daysAfter)).toEqual([expect.stringMatching(/^error the roles document 3 ended at .*roles renew$/)]);
});
