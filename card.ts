const U='http://127.0.0.1:18096', K={'X-API-Key':'sluice_live_0123456789abcdef0123456789abcdef'};
const net=(await import('node:net'));
const rawreq=(t:string)=>new Promise<string>(r=>{const s=net.connect(18096,'127.0.0.1',()=>s.write(t));let d='';s.on('data',x=>d+=x);s.on('close',()=>r(d));s.on('error',e=>r(String(e)));setTimeout(()=>s.destroy(),1500)});
for(let i=0;i<300;i++){await fetch(`${U}/x${Math.random()}`);await fetch(`${U}/v1/jobs/req_${i}?a=${i}`,{headers:K});await fetch(`${U}/v1/schema/s${i}`,{headers:K});await fetch(`${U}/v1/screen`,{method:'POST',headers:{...K,'content-type':'application/json'},body:JSON.stringify({source:'src"\\\n{}'+i,rows:[{['f"'+i]:i}]})}).then(r=>r.text())}
for(const m of ['FOO','BAR"x','PROPFIND','TRACE','CONNECT','constructor','__proto__','A'.repeat(1000)]) console.log(m.slice(0,10),(await rawreq(`${m} /v1/screen HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).slice(0,40));
for(const p of ['/v1/jobs/%0a"{','/v1/jobs/{id}','/v1/schema/constructor','//','/v1/../v1/screen','/%2e%2e/','/*','/v1/*','*']) console.log(p,(await rawreq(`GET ${p} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).slice(0,40).replace(/\r\n/g,' | '));
const t=await (await fetch(U+'/metrics',{headers:{Authorization:'Bearer 0123456789abcdef'}})).text();
console.log(t.length, t.split('\n').length); console.log(t.split('\n').filter(l=>/^sluice_(requests_total|refusals)/.test(l)).join('\n'));
console.log(t.split('\n').filter(l=>/src|f"|s12/.test(l)).length);
