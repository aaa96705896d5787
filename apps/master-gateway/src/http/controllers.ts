/** The HTTP API's doors, as Salt's `rest_cherrypy` has them. Each reads its request, makes one call and answers. Spec: docs/http-api.md. */
import { isMap, type Value, type ValueMap } from '@natrium/model';
import {
  BadRequestException,
  Controller,
  Get,
  Inject,
  InternalServerErrorException,
  NotImplementedException,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { answerType, sendLarge, sendValue } from './answers.js';
import { Api } from './api.js';
import { CLIENTS } from './lowstate.js';
import { WholeJobs } from './whole-jobs.js';

@Controller()
export class RootController {
  constructor(@Inject(Api) private readonly api: Api) {}

  @Get('/')
  welcome(@Req() req: Request, @Res() res: Response) {
    const clients = [...CLIENTS.slice(0, 6), 'ssh', ...CLIENTS.slice(6)];
    return sendValue(req, res, { return: 'Welcome', clients });
  }

  @Post('/')
  async call(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    const caller = await this.api.callerOf(req, res);
    const list = await this.api.lowstatesOf(req, caller);
    return sendValue(req, res, { return: await this.api.runAll(list, caller) });
  }

  @Post('/run')
  async run(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    return sendValue(req, res, { return: await this.api.runSessionless(req, res) });
  }
}

@Controller()
export class LoginController {
  constructor(@Inject(Api) private readonly api: Api) {}

  @Get('/login')
  ask(@Req() req: Request, @Res() res: Response) {
    res.setHeader('WWW-Authenticate', 'Session');
    return sendValue(req, res, { status: null, return: 'Please log in' });
  }

  @Post('/login')
  async login(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    return sendValue(req, res, { return: [await this.api.login(req, res)] });
  }

  @Post('/logout')
  async logout(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    await this.api.logout(req, res);
    return sendValue(req, res, { return: 'Your token has been cleared' });
  }

  @Post('/token')
  async token(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    return sendValue(req, res, await this.api.tokens(req, res));
  }
}

@Controller()
export class FleetController {
  constructor(
    @Inject(Api) private readonly api: Api,
    @Inject(WholeJobs) private readonly wholeJobs: WholeJobs,
  ) {}

  @Get(['/minions', '/minions/:id'])
  async minions(@Req() req: Request, @Res() res: Response, @Param('id') id: string | undefined) {
    const low = { client: 'local', tgt: named(req, id, 'mid') ?? '*', fun: 'grains.items' };
    return sendValue(req, res, { return: await this.api.runAll([low], await this.api.callerOf(req, res)) });
  }

  @Post('/minions')
  async start(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    const caller = await this.api.callerOf(req, res);
    const list = (await this.api.lowstatesOf(req, caller)).map((low) => ({ ...low, client: 'local_async' }));
    const started = await this.api.runAll(list, caller);
    const jids = started.flatMap((one) => (isMap(one) && typeof one['jid'] === 'string' ? [one['jid']] : []));
    const links = { jobs: jids.map((jid) => ({ href: `/jobs/${jid}` })) };
    return sendValue(req, res, { return: started, _links: links }, 202);
  }

  @Get(['/jobs', '/jobs/:jid'])
  async jobs(@Req() req: Request, @Res() res: Response, @Param('jid') id: string | undefined) {
    const jid = named(req, id, 'jid');
    const caller = await this.api.callerOf(req, res);
    if (jid === undefined) {
      const [list = null] = await this.api.runAll([{ client: 'runner', fun: 'jobs.list_jobs' }], caller);
      return sendValue(req, res, { return: [toldIn(list)] });
    }
    const type = answerType(req);
    const low = { client: 'runner', fun: 'jobs.list_job', jid, partial: true };
    const [told = null] = await this.api.runAll([low], caller);
    return this.wholeJobs.tell(toldIn(told), { jid, type, isGone: () => res.destroyed }, (job, size) => {
      const answer = { info: [job], return: [returnsIn(job)] };
      return size === 'large' && type === 'application/json' ? sendLarge(res, answer) : sendValue(req, res, answer);
    });
  }

  @Get(['/keys', '/keys/:id'])
  async keys(@Req() req: Request, @Res() res: Response, @Param('id') id: string | undefined) {
    const match = named(req, id, 'mid');
    const low = { client: 'wheel', ...(match === undefined ? { fun: 'key.list_all' } : { fun: 'key.finger', match }) };
    return sendValue(req, res, {
      return: wheelReturn(await this.api.runAll([low], await this.api.callerOf(req, res))),
    });
  }

  /** Diverges: a minion makes its own key, and nobody else ever holds it (compat/divergences.md, POST /keys). */
  @Post('/keys')
  make(): never {
    throw new NotImplementedException('A minion makes its own key; accept it here, or let it in with autosign_file');
  }
}

@Controller()
export class UiController {
  constructor(@Inject(Api) private readonly api: Api) {}

  @Post('/ui/can-i')
  async canI(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    return sendValue(req, res, await this.api.canI(req, res));
  }
}

@Controller()
export class EventController {
  constructor(@Inject(Api) private readonly api: Api) {}

  @Get('/events')
  events(@Req() req: Request, @Res() res: Response) {
    return this.api.events(req, res);
  }

  @Get('/stats')
  async stats(@Req() req: Request, @Res() res: Response) {
    return sendValue(req, res, await this.api.stats(req, res));
  }

  @Post('/hook{/*path}')
  async hook(@Req() req: Request, @Res() res: Response) {
    answerType(req);
    await this.api.hook(req, res);
    return sendValue(req, res, { success: true });
  }

  @Get(['/ws', '/ws/:token'])
  upgrade(): never {
    throw new BadRequestException('Ask for a WebSocket: Connection: Upgrade');
  }
}

/** As in Salt's server, what the path does not say the query may; an empty one says nothing. */
function named(req: Request, inPath: string | undefined, key: 'mid' | 'jid'): string | undefined {
  const value = inPath ?? req.query[key];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new BadRequestException(`${key} is said once`);
  return value;
}

/** A run that has failed tells a sentence, which nobody should read as a job to which nobody has returned. */
function toldIn(told: Value): ValueMap {
  if (isMap(told)) return told;
  throw new InternalServerErrorException(typeof told === 'string' ? told : 'the run has told nothing');
}

function returnsIn(info: Value): ValueMap {
  const result = isMap(info) ? info['Result'] : undefined;
  if (!isMap(result)) return {};
  return Object.fromEntries(
    Object.entries(result).map(([id, one]) => [id, isMap(one) ? (one['return'] ?? null) : one]),
  );
}

function wheelReturn(elements: readonly Value[]): Value {
  const [first] = elements;
  const data = isMap(first) ? first['data'] : undefined;
  return isMap(data) ? (data['return'] ?? {}) : {};
}
