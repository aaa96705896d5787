/** Rules of subjects: one prefix for each cluster, nothing of a name in them, and whose a subject is. */
import * as routes from './routes.js';
import { fpIn, inboxOf, subjectsOf } from './subjects.js';

const FP = 'abcdefghijklmnopqrstuvwxyz';

describe('subjects', () => {
  it('begin with the cluster', () => {
    const subjects = subjectsOf('main');
    expect([
      subjects.hello,
      subjects.join,
      subjects.up(FP, 'publish'),
      subjects.upReturn(FP, 'gw1'),
      subjects.upAcl(FP, 'data'),
      subjects.usr(FP, 'runner'),
      subjects.usrAcl(FP, 'admin'),
      subjects.job(FP),
      subjects.svcAcl('grant'),
      subjects.svcRun,
      subjects.svcGw('read'),
      subjects.dir('acl'),
    ]).toEqual([
      'nt.main.hello',
      'nt.main.join',
      `nt.main.up.${FP}.publish`,
      `nt.main.up.${FP}.return.gw1`,
      `nt.main.up.${FP}.acl.data`,
      `nt.main.usr.${FP}.runner`,
      `nt.main.usr.${FP}.acl.admin`,
      `nt.main.job.${FP}`,
      'nt.main.svc.acl.grant',
      'nt.main.svc.run.run',
      'nt.main.svc.gw.read',
      'nt.main.dir.acl',
    ]);
  });

  it.each(['main', 'a', '0', 'eu-west_1', 'x'.repeat(63)])('take the cluster %s', (cluster) => {
    expect(subjectsOf(cluster).hello).toBe(`nt.${cluster}.hello`);
  });

  it.each(['', '*', '>', 'a.b', 'a b', 'Main', '-a', '_a', 'é', 'a\n', 'x'.repeat(64)])(
    'refuse a cluster that is no word: %p',
    (cluster) => {
      expect(() => subjectsOf(cluster)).toThrow(RangeError);
    },
  );

  it('say whose they are, and only those of a party do', () => {
    const subjects = subjectsOf('main');
    expect([
      fpIn(subjects.up(FP, 'publish')),
      fpIn(subjects.upReturn(FP, 'gw1')),
      fpIn(subjects.upAcl(FP, 'data')),
      fpIn(subjects.usrAcl(FP, 'admin')),
      fpIn(subjects.job(FP)),
    ]).toEqual([FP, FP, FP, FP, FP]);
    for (const subject of [subjects.hello, subjects.join, subjects.svcAcl('grant'), `${inboxOf(FP)}.a.b.0`, '', 'up']) {
      expect(fpIn(subject)).toBeUndefined();
    }
  });

  it('of one asker are heard on the route of all askers', () => {
    const subjects = subjectsOf('main');
    const heard = (at: string, subject: string) =>
      new RegExp(`^nt\\.main\\.${at.replaceAll('.', '\\.').replace('*', '[^.]+').replace('{instance}', 'gw1')}$`).test(
        subject,
      );
    expect(heard(routes.peerPublish.at, subjects.up(FP, 'publish'))).toBe(true);
    expect(heard(routes.accountPublish.at, subjects.usr(FP, 'publish'))).toBe(true);
    expect(heard(routes.jobReturn.at, subjects.up(FP, 'return'))).toBe(true);
    expect(heard(routes.jobReturnHere.at, subjects.upReturn(FP, 'gw1'))).toBe(true);
    expect(heard(routes.jobReturn.at, subjects.upReturn(FP, 'gw1'))).toBe(false);
    expect(heard(routes.minionData.at, subjects.upAcl(FP, 'data'))).toBe(true);
    expect(heard(routes.accountAdmin.at, subjects.usrAcl(FP, 'admin'))).toBe(true);
    expect(heard(routes.aclGrant.at, subjects.svcAcl('grant'))).toBe(true);
    expect(heard(routes.gatewayRead.at, subjects.svcGw('read'))).toBe(true);
    expect(heard(routes.runnerRun.at, subjects.svcRun)).toBe(true);
    expect(heard(routes.join.at, subjects.join)).toBe(true);
  });
});
